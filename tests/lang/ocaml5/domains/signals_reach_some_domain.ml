(* A handler runs whatever domain is busy; the mask is inherited. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let hits = Atomic.make 0 in
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun n -> if n = Sys.sigusr1 then Atomic.incr hits));
  let kill () = ignore (Sys.command "kill -USR1 $PPID") in
  let wait_for n = while Atomic.get hits < n do Domain.cpu_relax () done in
  kill (); wait_for 1; say "%d" (Atomic.get hits);
  Domain.join (Domain.spawn (fun () -> kill (); wait_for 2));
  say "%d" (Atomic.get hits);
  let d = Domain.spawn (fun () -> wait_for 3; 1) in
  kill (); let one = Domain.join d in say "%d %d" one (Atomic.get hits);
  Domain.join (Domain.spawn (fun () -> Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> Atomic.set hits 100))));
  kill (); wait_for 100; say "%d" (Atomic.get hits);
  Sys.set_signal Sys.sigusr1 Signal_ignore;
  Domain.join (Domain.spawn kill); say "ignored"
