(* A thread that was joined may still be about to end, and take a signal that it does not block: what
   is blocked is blocked before there are others. *)
let () =
  let old = Thread.sigmask Unix.SIG_BLOCK [Sys.sigusr2; Sys.sigterm] in
  Printf.printf "before: %d blocked\n%!" (List.length old);
  let count = ref 0 in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> incr count));
  let t = Thread.create (fun () -> while !count < 3 do Thread.yield () done) () in
  for _ = 1 to 3 do
    let before = !count in
    Unix.kill (Unix.getpid ()) Sys.sigusr1;
    while !count = before do Thread.yield () done
  done;
  Thread.join t;
  Printf.printf "handled %d\n%!" !count;
  let waiter = Thread.create (fun () ->
    let s = Thread.wait_signal [Sys.sigusr2] in
    Printf.printf "waited: %b\n%!" (s = Sys.sigusr2);
    let inherited = Thread.sigmask Unix.SIG_SETMASK [] in
    List.iter (fun s -> Printf.printf "%d " s) inherited;
    print_newline ()) () in
  Unix.kill (Unix.getpid ()) Sys.sigusr2;
  Thread.join waiter;
  let order = Thread.sigmask Unix.SIG_UNBLOCK [Sys.sigusr2] in
  List.iter (fun s -> Printf.printf "%d " s) order;
  print_newline ();
  (* A handler that raises, while the thread waits for the system. *)
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Exit));
  let alarm seconds =
    ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = seconds }) in
  (try alarm 0.02; Thread.delay 5.; print_endline "?" with Exit -> print_endline "raised");
  let r, _ = Unix.pipe () in
  (try alarm 0.02; ignore (input_char (Unix.in_channel_of_descr r))
   with Exit -> print_endline "raised");
  (try ignore (Thread.sigmask Unix.SIG_BLOCK [Sys.sigalrm]);
       alarm 0.01;
       Unix.sleepf 0.03;
       ignore (Thread.sigmask Unix.SIG_UNBLOCK [Sys.sigalrm]);
       print_endline "?"
   with Exit -> print_endline "unblocked")
