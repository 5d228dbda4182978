(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
(* An exception of a callback that nobody catches ends the program like any other; the profiler is
   silent from then on. *)
let samples = ref 0
let () = at_exit (fun () ->
  let before = !samples in
  ignore (Sys.opaque_identity (Array.make 20 0, ref 0));
  ignore (Sys.opaque_identity (ref 0));
  Printf.printf "at exit, new samples: %d\n" (!samples - before))
let build n = (n, n, n, n, n, n)
let () =
  Gc.Memprof.start ~sampling_rate:1.
    { Gc.Memprof.null_tracker with alloc_minor = (fun a ->
        incr samples;
        if a.size = 6 then failwith "in a callback" else None) };
  ignore (Sys.opaque_identity (build 3))
