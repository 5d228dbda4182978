(* Does nothing but allocate: allocate MODE RATE ITERATIONS. Modes: off, count (callbacks of
   allocation that count), track (all five callbacks, everything tracked). *)
let mode = Sys.argv.(1)
let rate = float_of_string Sys.argv.(2)
let iterations = int_of_string Sys.argv.(3)
let samples = ref 0
let rec build n acc = if n = 0 then acc else build (n - 1) (n :: acc)
let () =
  let count (a : Gc.Memprof.allocation) = samples := !samples + a.n_samples; None in
  let track (a : Gc.Memprof.allocation) = samples := !samples + a.n_samples; Some () in
  let t = { Gc.Memprof.null_tracker with alloc_minor = count; alloc_major = count } in
  (match mode with
   | "count" -> Gc.Memprof.start ~callstack_size:10 ~sampling_rate:rate t
   | "track" ->
     Gc.Memprof.start ~callstack_size:10 ~sampling_rate:rate
       { alloc_minor = track; alloc_major = track; promote = (fun () -> Some ());
         dealloc_minor = ignore; dealloc_major = ignore }
   | _ -> ());
  for _ = 1 to iterations do ignore (Sys.opaque_identity (build 100 [])) done
