let started = Atomic.make 0
exception Last of string
let () =
  at_exit (fun () -> print_endline "at_exit");
  ignore (Domain.spawn (fun () -> Atomic.incr started; while true do Domain.cpu_relax () done));
  while Atomic.get started < 1 do Domain.cpu_relax () done;
  raise (Last "in main")
