(* flags: -g *)
(* The call stack of a sample goes on from a fiber into those that surround it. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let stacks = ref []
let tracker = { Gc.Memprof.null_tracker with alloc_minor = (fun i -> if i.size = 37 then stacks := Printexc.raw_backtrace_to_string i.callstack :: !stacks; None) }
let[@inline never] alloc () = Sys.opaque_identity (Array.make 37 0)
let handle f = 1 + match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask -> Some (fun (k : (a, int) continuation) -> let a = alloc () in 1 + continue k a.(0)) | _ -> None) }
let () =
  let p = Gc.Memprof.start ~sampling_rate:1. ~callstack_size:20 tracker in
  ignore (handle (fun () -> let n = 1 + (alloc ()).(0) in n + Effect.perform Ask + (alloc ()).(0)));
  Gc.Memprof.stop (); Gc.Memprof.discard p;
  let seen = ref "" in
  List.iter (fun s -> if s <> !seen then print_endline s; seen := s) (List.rev !stacks)
