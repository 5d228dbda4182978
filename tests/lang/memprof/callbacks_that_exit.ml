(* exit in a callback: at_exit functions run, and are still inside the callback. *)
let samples = ref 0
let () = at_exit (fun () ->
  let before = !samples in
  ignore (Sys.opaque_identity (Array.make 20 0, ref 0));
  Printf.printf "at exit, new samples: %d\n" (!samples - before))
let () =
  Gc.Memprof.start ~sampling_rate:1.
    { Gc.Memprof.null_tracker with alloc_minor = (fun a ->
        incr samples;
        if a.size = 6 then begin print_endline "exiting"; exit 7 end;
        None) };
  ignore (Sys.opaque_identity (1, 2, 3, 4, 5, Sys.opaque_identity 6));
  print_endline "not reached"
