(* A signal that came must not wait for the end of a command, nor for a named pipe's other end. *)
let handler s = print_endline (if s = Sys.sigusr1 then "usr1" else "usr2")

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle handler);
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle handler);
  let first = "kill -USR1 $PPID" and second = "echo second; kill -USR2 $PPID" in
  let third = "echo third" in
  ignore (Sys.command first);
  ignore (Sys.command second);
  ignore (Sys.command third);
  let make = "mkfifo pipe; (sleep 0.1; echo other end; echo line > pipe) & kill -USR1 $PPID" in
  let name = "pipe" in
  ignore (Sys.command make);
  let pipe = open_in name in
  print_endline (input_line pipe)
