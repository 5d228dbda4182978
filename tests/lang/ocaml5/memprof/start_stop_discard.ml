(* stress: no: counts samples *)
(* Gc.Memprof of 5.3: profiles are values; errors; everything sampled at rate 1. *)
open Gc.Memprof
let say fmt = Printf.printf (fmt ^^ "\n%!")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  let allocs = ref 0 and words = ref 0 and deallocs = ref 0 in
  let tracker = { null_tracker with alloc_minor = (fun i -> incr allocs; words := !words + i.size; Some ()); alloc_major = (fun i -> incr allocs; words := !words + i.size; Some ()); dealloc_minor = (fun () -> incr deallocs); dealloc_major = (fun () -> incr deallocs); promote = (fun () -> Some ()) } in
  show "stop before start" (fun () -> stop (); "?");
  let p = start ~sampling_rate:1. ~callstack_size:0 tracker in
  let l = Sys.opaque_identity (List.init 10 Fun.id) in
  show "start twice" (fun () -> ignore (start ~sampling_rate:1. tracker); "?"); show "discard while running" (fun () -> discard p; "?");
  stop (); let n = !allocs in ignore (Sys.opaque_identity (List.init 10 Fun.id)); say "%b" (n = !allocs && n >= 10); ignore (Sys.opaque_identity l);
  show "stop twice" (fun () -> stop (); "?"); Gc.full_major (); say "%b" (!deallocs > 0); discard p; show "discard twice" (fun () -> discard p; "?");
  List.iter (fun r -> show (string_of_float r) (fun () -> let q = start ~sampling_rate:r tracker in stop (); discard q; "fine")) [0.; -1.; 2.; nan];
  show "negative call stack" (fun () -> let q = start ~sampling_rate:0.1 ~callstack_size:(-1) tracker in stop (); discard q; "fine");
  let boom = { null_tracker with alloc_minor = (fun i -> if i.size = 37 then failwith "in a callback" else None) } in
  show "callback raises" (fun () -> let q = start ~sampling_rate:1. boom in Fun.protect ~finally:(fun () -> stop (); discard q) (fun () -> ignore (Sys.opaque_identity (Array.make 37 0)); "?"));
  show "domains inherit" (fun () -> allocs := 0; let q = start ~sampling_rate:1. tracker in Domain.join (Domain.spawn (fun () -> for i = 1 to 100 do ignore (Sys.opaque_identity (ref i)) done)); stop (); discard q; string_of_bool (!allocs >= 100));
  show "stop in another domain" (fun () -> let q = start ~sampling_rate:1. tracker in Domain.join (Domain.spawn (fun () -> stop ())); (match stop () with () -> "both" | exception Failure s -> s) |> fun r -> discard q; r)
