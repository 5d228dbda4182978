(* ocaml5: no: Gc.Memprof.start returns a profile *)
(* Rates, call stack sizes, double starts and stops: which texts, in which order, and what remains
   after them. Rates that sample nothing are profiles all the same. *)
open Gc.Memprof

let say name f =
  match f () with
  | () -> Printf.printf "%s: fine\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let count = ref 0
let counting =
  { null_tracker with
    alloc_minor = (fun _ -> incr count; None);
    alloc_major = (fun _ -> incr count; None) }

let allocate () =
  for i = 1 to 20_000 do ignore (Sys.opaque_identity (ref i)) done;
  ignore (Sys.opaque_identity (Array.make 100_000 0));
  ignore (Sys.opaque_identity (ref 0))

let () =
  say "stop at first" stop;
  List.iter
    (fun (name, rate) ->
      say ("start at " ^ name) (fun () -> start ~sampling_rate:rate counting);
      say "stop after it" stop)
    [ "nan", nan; "-0.1", -0.1; "1.1", 1.1; "infinity", infinity; "-infinity", neg_infinity;
      "1 + epsilon", 1. +. epsilon_float; "-tiny", -5e-324; "0", 0.; "-0", -0.; "1", 1.;
      "5e-324", 5e-324; "1e-300", 1e-300; "1e-20", 1e-20 ];
  say "negative size" (fun () -> start ~callstack_size:(-1) ~sampling_rate:1. counting);
  say "smallest size" (fun () -> start ~callstack_size:min_int ~sampling_rate:1. counting);
  say "stop" stop;
  say "start" (fun () -> start ~sampling_rate:0. counting);
  say "second start" (fun () -> start ~sampling_rate:0. counting);
  say "second start, bad rate" (fun () -> start ~sampling_rate:7. counting);
  say "stop" stop;
  say "second stop" stop;
  say "largest size" (fun () -> start ~callstack_size:max_int ~sampling_rate:0. counting);
  say "stop" stop;
  List.iter
    (fun rate ->
      count := 0;
      start ~sampling_rate:rate counting;
      allocate ();
      stop ();
      Printf.printf "%g: %d samples\n" rate !count)
    [ 0.; -0.; 5e-324; 1e-310; 1e-20 ]
