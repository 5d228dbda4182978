exception Interrupted of int
let send name = ignore (Sys.command ("kill -" ^ name ^ " $PPID"))

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun n -> raise (Interrupted n)));
  for i = 1 to 3 do
    match send "USR1"; Sys.opaque_identity (List.length [ i ]) with
    | n -> Printf.printf "not interrupted %d\n" n
    | exception Interrupted n -> Printf.printf "interrupted by %d\n%!" n
  done

(* out of a loop without allocation *)
let () =
  try
    ignore (Sys.command "(sleep 0.1; kill -USR1 $PPID) >/dev/null 2>&1 &");
    while true do () done
  with Interrupted _ -> print_endline "loop left"

let rec spin n = spin (n + 1)

let () =
  try
    ignore (Sys.command "(sleep 0.1; kill -USR1 $PPID) >/dev/null 2>&1 &");
    spin 0
  with Interrupted _ -> print_endline "recursion left"

let () =
  Sys.catch_break true;
  (* while the shell runs, system() has its callers ignore SIGINT: the signal comes later *)
  ignore (Sys.command "mkfifo go; (read line < go; sleep 0.1; kill -INT $PPID) >/dev/null 2>&1 &");
  (try close_out (open_out "go"); while true do () done
   with Sys.Break -> print_endline "break");
  Sys.catch_break false;
  ignore (Sys.signal Sys.sigint Sys.Signal_ignore);
  send "INT";
  print_endline "done"
