(* ocaml5: no: Gc.Memprof.start returns a profile *)
(* Starting, stopping and exceptions in every order (#9628, #10056, oxcaml #5600): what comes later is
   counted as before. *)
open Gc.Memprof
let calls = ref 0
let tracker = { null_tracker with alloc_minor = (fun _ -> incr calls; None); alloc_major = (fun _ -> incr calls; None) }
let alloc n = for i = 1 to n do ignore (Sys.opaque_identity (ref i)) done
let counted f = calls := 0; (try f () with Exit -> ()); !calls

let () =
  let whole () = start ~sampling_rate:1. tracker; alloc 1000; stop () in
  let n = counted whole in
  Printf.printf "%b\n" (n >= 1000);
  Printf.printf "%d\n" (counted (fun () -> alloc 1000));
  let raising () =
    start ~sampling_rate:1. { tracker with alloc_minor = (fun _ -> incr calls; if !calls = 10 then raise Exit; None) };
    alloc 1000 in
  Printf.printf "%d\n" (counted raising);
  Printf.printf "%b\n" (counted (fun () -> alloc 500) >= 500);
  stop ();
  let from_inside () =
    start ~sampling_rate:1. { tracker with alloc_minor = (fun _ -> incr calls; if !calls = 5 then stop (); None) };
    alloc 1000 in
  Printf.printf "%d\n" (counted from_inside);
  (match stop () with () -> print_endline "stopped" | exception Failure s -> print_endline s);
  let again () =
    start ~sampling_rate:1. tracker;
    match start ~sampling_rate:1. tracker with () -> print_endline "twice" | exception Failure s -> print_endline s in
  ignore (counted again);
  stop ();
  Printf.printf "%b\n" (counted whole = n);
  (* Nothing, everything, and the rates that are refused. *)
  List.iter
    (fun rate ->
      match start ~sampling_rate:rate tracker with
      | () -> alloc 100; stop (); Printf.printf "%g taken\n" rate
      | exception Invalid_argument s -> Printf.printf "%g: %s\n" rate s)
    [ 0.; 1.; 1e-300; 1.5; -1.; nan; infinity ];
  Printf.printf "%d\n" (counted (fun () -> start ~sampling_rate:0. tracker; alloc 10000; stop ()))
