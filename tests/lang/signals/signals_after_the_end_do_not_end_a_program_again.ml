(* libs: unix.cma *)
(* A large heap takes long to free: the timer rings meanwhile. *)
let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle ignore);
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.0005; it_value = 0.0005 });
  let keep = Array.init 400 (fun i -> Array.make 10000 i) in
  print_int (Array.length keep);
  exit 7
