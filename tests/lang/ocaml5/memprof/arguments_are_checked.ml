(* Which texts, in which order, and what remains after them. *)
open Gc.Memprof
let say name f =
  match f () with
  | () -> Printf.printf "%s: fine\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)
let count = ref 0
let counting = { null_tracker with alloc_minor = (fun _ -> incr count; None); alloc_major = (fun _ -> incr count; None) }
let allocate () =
  for i = 1 to 20_000 do ignore (Sys.opaque_identity (ref i)) done;
  ignore (Sys.opaque_identity (Array.make 100_000 0));
  ignore (Sys.opaque_identity (ref 0))
let kept = ref []
let start_ ?callstack_size rate = kept := start ?callstack_size ~sampling_rate:rate counting :: !kept
let () =
  say "stop at first" stop;
  List.iter (fun (name, rate) -> say ("start at " ^ name) (fun () -> start_ rate); say "stop after it" stop)
    [ "nan", nan; "-0.1", -0.1; "1.1", 1.1; "infinity", infinity; "0", 0.; "-0", -0.; "1", 1.; "5e-324", 5e-324; "1e-20", 1e-20 ];
  say "negative size" (fun () -> start_ ~callstack_size:(-1) 1.);
  say "stop" stop;
  say "start" (fun () -> start_ 0.);
  say "second start" (fun () -> start_ 0.);
  say "second start, bad rate" (fun () -> start_ 7.);
  say "discard of a running one" (fun () -> discard (List.hd !kept));
  say "stop" stop;
  say "second stop" stop;
  say "discard" (fun () -> discard (List.hd !kept));
  say "discard again" (fun () -> discard (List.hd !kept));
  List.iter (fun rate -> count := 0; start_ rate; allocate (); stop (); Printf.printf "%g: %d samples\n" rate !count) [ 0.; 1e-310; 1e-20; 1. ];
  say "discard an old one" (fun () -> discard (List.nth !kept 2));
  say "and again" (fun () -> discard (List.nth !kept 2))
