(* libs: dynlink.cma *)
(* beside: loaded_in_profile.ml *)
(* Callbacks for what Dynlink allocates are pending when the loaded code is called. *)
let calls = ref 0

let look _ =
  ignore (Printexc.get_callstack 100);
  incr calls;
  None

let () =
  Gc.Memprof.start ~sampling_rate:1.
    { Gc.Memprof.null_tracker with alloc_minor = look; alloc_major = look };
  Dynlink.loadfile "loaded_in_profile.cmo";
  Gc.Memprof.stop ();
  print_endline (if !calls > 100 then "called" else "not called")
