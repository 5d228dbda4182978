(* flags: -g *)
(* Gc.Memprof's call stacks list what Printexc.get_callstack does at the same place: handlers of
   exceptions, return points of unfinished calls, those of the fibers outside, up to a callback. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t

let stacks = ref []
let tracker =
  { Gc.Memprof.null_tracker with
    alloc_minor = (fun i -> if i.size = 37 then stacks := i.callstack :: !stacks; None) }
let show s = Printf.printf "%d\n%s" (Printexc.raw_backtrace_length s) (Printexc.raw_backtrace_to_string s)
let[@inline never] alloc () = (Sys.opaque_identity (Array.make 37 0)).(0)
let[@inline never] tuple () = alloc () + (let[@inline never] make a = Sys.opaque_identity
  [| a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a |] in make 1).(0)
let[@inline never] five a b c d e = a + b + c + d + e
let[@inline never] caught () = try try tuple () with Not_found -> 2 with Exit -> 3
let[@inline never] inside () = try five 1 2 3 4 (caught ()) with Not_found -> 4
let[@inline never] handle f =
  1 + match_with f () { retc = (fun x -> x + alloc ()); exnc = (fun _ -> tuple ());
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask -> Some (fun (k : (a, int) continuation) -> (try caught () with Exit -> 1) + continue k (tuple ()))
      | _ -> None) }
let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f
let rec guarded n f = if n = 0 then f () else try 1 + guarded (n - 1) f with Not_found -> n

let profile ?callstack_size name f =
  stacks := [];
  let p = Gc.Memprof.start ?callstack_size ~sampling_rate:1. tracker in
  (try ignore (Sys.opaque_identity (f ())) with Exit -> ());
  Gc.Memprof.stop ();
  Gc.Memprof.discard p;
  print_endline name;
  List.iter show (List.rev !stacks)

let fin f = try Gc.finalise (fun _ -> ignore (try f () with Exit -> 1)) (ref (Sys.opaque_identity 1)); Gc.full_major (); 1 with Not_found -> 2

let () =
  List.iter (fun (limit, callstack_size) ->
    let run name f = profile ?callstack_size (limit ^ ": " ^ name) f in
    run "no fiber" inside;
    run "a fiber" (fun () -> handle inside);
    run "a fiber under traps" (fun () -> try try five 1 2 3 4 (handle inside) with Exit -> 1 with Not_found -> 2);
    run "nested fibers" (fun () -> try guarded 2 (fun () -> handle (fun () -> guarded 1 (fun () -> handle inside))) with Exit -> 1);
    run "the same function with and without a fiber" (fun () -> try inside () + handle inside + inside () with Exit -> 2);
    run "performed" (fun () -> handle (fun () -> five 1 2 3 4 (try Effect.perform Ask + caught () with Exit -> 1)));
    run "performed through a fiber" (fun () -> try handle (fun () -> try match_with (fun () -> try Effect.perform Ask + caught () with Exit -> 1) ()
      { retc = Fun.id; exnc = raise; effc = (fun _ -> None) } with Not_found -> 2) with Not_found -> 1);
    run "raised" (fun () -> handle (fun () -> ignore (caught ()); raise Exit));
    run "deep, resumed in part" (fun () -> handle (fun () -> guarded 3 (fun () -> deep 400 (fun () -> let a = Effect.perform Ask in a + caught ()))));
    run "a finaliser" (fun () -> try fin inside + caught () with Exit -> 1);
    run "a finaliser in a fiber" (fun () -> handle (fun () -> try fin inside + caught () with Exit -> 1));
    run "a fiber in a finaliser in a fiber" (fun () -> handle (fun () -> guarded 2 (fun () -> fin (fun () -> handle inside) + inside ())));
    run "sorting" (fun () -> (List.sort (fun a b -> try caught () with Exit -> compare a b) [ 2; 1 ] |> List.hd)))
    [ "whole", None; "three", Some 3; "twenty", Some 20; "hundred", Some 100 ]

let () =
  let body () = Domain.join (Domain.spawn (fun () -> try handle inside with Not_found -> 1)) in
  profile "a domain" body
