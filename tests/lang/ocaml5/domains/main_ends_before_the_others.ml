(* The program does not wait for domains that nobody joins. *)
let forever = Atomic.make true
let started = Atomic.make 0
let () =
  for _ = 1 to 3 do
    ignore (Domain.spawn (fun () -> Atomic.incr started; while Atomic.get forever do Domain.cpu_relax () done; print_endline "never"))
  done;
  while Atomic.get started < 3 do Domain.cpu_relax () done;
  at_exit (fun () -> print_endline "bye");
  print_endline "end of main"
