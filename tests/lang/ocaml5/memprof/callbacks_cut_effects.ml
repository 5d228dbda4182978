(* An effect performed in a callback is unhandled, whatever handler surrounds the allocation; an exception
   of the callback is raised at the allocation. *)
open Gc.Memprof
type _ Effect.t += E : int Effect.t
let () =
  let t = { null_tracker with alloc_minor = (fun _ -> (try Printf.printf "perform %d\n" (Effect.perform E) with Effect.Unhandled _ -> print_endline "unhandled"); raise Exit) } in
  Effect.Deep.match_with (fun () ->
    let p = start ~sampling_rate:1. t in
    (match Sys.opaque_identity (ref 0) with _ -> print_endline "no" | exception Exit -> print_endline "Exit");
    (try stop () with Exit -> print_endline "Exit at stop"; stop ());
    discard p) () { retc = Fun.id; exnc = raise; effc = (fun (type a) (_ : a Effect.t) -> None) }
