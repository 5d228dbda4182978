(* A write that fails raises while it holds the channel's lock. A handler that runs then may use the
   channel: the lock is released first. *)
let full = open_out "/dev/full"
let write () = try output_string full "x"; flush full with Sys_error _ -> ()
let every seconds =
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = seconds; it_value = seconds })

let () =
  let other = Thread.create (fun () -> Thread.delay 0.01) () in
  let rings = ref 0 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr rings; write ()));
  every 0.0002;
  for _ = 1 to 100_000 do write () done;
  every 0.;
  Thread.join other;
  Unix.close (Unix.descr_of_out_channel full);
  print_endline (if !rings > 10 then "ended" else "no signals")
