(* flags: -thread -I +threads unix.cma threads.cma *)
(* Profiles of start_another sample on when a thread ends in one of their callbacks. *)
open Bactrian.Memprof

let allocate () = for i = 1 to 10_000 do ignore (Sys.opaque_identity (ref i)) done

(* leave: calls Thread.exit in a callback if it is set. *)
let run name allocate tracker_of =
  let leave = ref false and calls = ref 0 in
  let callback _ = incr calls; if !leave then begin leave := false; Thread.exit () end; None in
  let p = start_another ~sampling_rate:1. (tracker_of callback) in
  let body () = leave := true; allocate (); print_endline "not reached" in
  Thread.join (Thread.create body ());
  let before = !calls in
  allocate ();
  stop_another p;
  Printf.printf "%s: %s\n%!" name (if !calls >= before + 100 then "samples on" else "silent")

let arrays () = for i = 1 to 200 do ignore (Sys.opaque_identity (Array.make 1000 i)) done

let () =
  run "minor heap" allocate (fun alloc_minor -> { null_tracker with alloc_minor });
  run "major heap" arrays (fun alloc_major -> { null_tracker with alloc_major })
