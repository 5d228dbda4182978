(* A signal that came must not wait for the end of a command, nor for a named pipe's other end. *)
let handler s =
  print_endline (if s = Sys.sigusr1 then "usr1" else "usr2");
  close_out (open_out "handled")

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle handler);
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle handler);
  let first = "kill -USR1 $PPID" and second = "echo second; kill -USR2 $PPID" in
  let third = "echo third" in
  ignore (Sys.command first);
  ignore (Sys.command second);
  ignore (Sys.command third);
  (* The other end comes when the handler has run, or in ten seconds. *)
  let make =
    "rm handled; mkfifo pipe; kill -USR1 $PPID; (for i in `seq 1000`; do \
     [ -e handled ] && break; sleep 0.01; done; echo other end; echo line > pipe) &" in
  let name = "pipe" in
  ignore (Sys.command make);
  let pipe = open_in name in
  print_endline (input_line pipe)
