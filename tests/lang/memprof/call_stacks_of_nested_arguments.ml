(* flags: -g *)
(* Call stacks also list the calls whose arguments are still being computed, and in OCaml 5 handlers,
   as Printexc.get_callstack does. *)
open Gc.Memprof

let stacks = ref []
let one = Sys.opaque_identity 1
let[@inline never] tuple () = let t = Sys.opaque_identity (one, 2, 3, 4, 5) in ignore t; 1
let[@inline never] block () = (Sys.opaque_identity (Array.make 37 0)).(0)
let[@inline never] large () = (Sys.opaque_identity (Array.make 400 0)).(0)
let[@inline never] five a b c d e = a + b + c + d + e
let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f
let rec guarded n f = if n = 0 then f () else try five 1 2 3 4 (guarded (n - 1) f) with Not_found -> n

let profile ?callstack_size name f =
  stacks := [];
  let note (a : allocation) =
    if List.mem a.size [ 5; 37; 400 ] then stacks := a.callstack :: !stacks; None in
  let p = start ?callstack_size ~sampling_rate:1. { null_tracker with alloc_minor = note; alloc_major = note } in
  ignore (Sys.opaque_identity (f ()));
  ignore (Sys.opaque_identity (ref 0));
  stop ();
  ignore (Sys.opaque_identity p);
  print_endline name;
  List.iter (fun s -> Printf.printf "%d\n%s" (Printexc.raw_backtrace_length s) (Printexc.raw_backtrace_to_string s))
    (List.rev !stacks)

let () =
  let kinds = [ "tuple", tuple; "array", block; "large array", large ]
  and limits = [ "whole", None; "two", Some 2; "twenty", Some 20; "hundred", Some 100 ] in
  List.iter (fun (what, f) -> List.iter (fun (limit, callstack_size) ->
    let run name f = profile ?callstack_size (String.concat ", " [ what; limit; name ]) f in
    run "argument" (fun () -> five 1 2 3 4 (f ()));
    run "twice" (fun () -> let a = five 1 2 3 4 (five 1 2 3 4 (f ())) in a + five 1 (f ()) 2 3 4);
    run "traps" (fun () -> try try five 1 2 3 4 (f ()) with Exit -> 1 with Not_found -> 2);
    run "again and again" (fun () -> for _ = 1 to 3 do ignore (Sys.opaque_identity (try f () with Exit -> 1)) done; f ());
    run "guarded" (fun () -> guarded 3 f);
    run "deep" (fun () -> deep 70 (fun () -> guarded 2 f) + f ());
    run "finaliser" (fun () ->
      (try Gc.finalise (fun _ -> ignore (try five 1 2 3 4 (f ()) with Exit -> 2)) (ref one); Gc.full_major () with Not_found -> ());
      f ()))
    limits) kinds
