(* The end of the first domain does not wait for the others. *)
let started = Atomic.make 0
let () =
  at_exit (fun () -> print_endline "at_exit");
  ignore (Domain.spawn (fun () -> Atomic.incr started; while true do () done));
  ignore (Domain.spawn (fun () -> Atomic.incr started; while true do Domain.cpu_relax () done));
  ignore (Domain.spawn (fun () ->
      let m = Mutex.create () in
      Mutex.lock m; Atomic.incr started; Condition.wait (Condition.create ()) m));
  while Atomic.get started < 3 do Domain.cpu_relax () done;
  print_endline "end"
