(* flags: -I +unix *)
(* libs: unix.cma *)
(* Signals that arrived while sigsuspend let them in, and whose handlers wait until they are no
   longer blocked, are pending for sigpending. *)
open Unix
let both = [ Sys.sigusr1; Sys.sigusr2 ]
let name s = if s = Sys.sigusr1 then "usr1" else if s = Sys.sigusr2 then "usr2" else "other"
let show what =
  Printf.printf "%s: %s\n%!" what
    (String.concat " " (List.sort compare (List.map name (sigpending ()))))
let () =
  List.iter (fun s -> Sys.set_signal s (Sys.Signal_handle (fun s ->
    Printf.printf "handler of %s\n%!" (name s)))) both;
  ignore (sigprocmask SIG_BLOCK both);
  show "none";
  List.iter (kill (getpid ())) both;
  show "blocked";
  (try sigsuspend [] with Unix_error (EINTR, _, _) -> print_endline "interrupted");
  show "recorded";
  ignore (sigprocmask SIG_UNBLOCK [ Sys.sigusr2 ]);
  show "one is unblocked";
  ignore (sigprocmask SIG_UNBLOCK both);
  show "all are"
