(* under: no: valgrind keeps the last signal for itself *)
(* SG2 *)
let send name = ignore (Sys.command ("kill -" ^ name ^ " $PPID"))
let show = function
  | Sys.Signal_default -> "default"
  | Sys.Signal_ignore -> "ignore"
  | Sys.Signal_handle _ -> "handle"

let count = ref 0

let () =
  let h n = incr count; Printf.printf "signal %d\n%!" n in
  print_endline (show (Sys.signal Sys.sigusr1 (Sys.Signal_handle h)));
  send "USR1";
  Printf.printf "%d\n" !count;
  print_endline (show (Sys.signal Sys.sigusr1 (Sys.Signal_handle (fun n -> h n; h (n * 100)))));
  send "USR1";
  (match Sys.signal Sys.sigusr1 Sys.Signal_ignore with
   | Sys.Signal_handle f -> f 7
   | b -> print_endline (show b));
  send "USR1";
  print_endline (show (Sys.signal Sys.sigusr1 Sys.Signal_default));
  print_endline (show (Sys.signal Sys.sigusr1 Sys.Signal_default));
  Sys.set_signal Sys.sighup (Sys.Signal_handle h);
  Sys.set_signal Sys.sigterm (Sys.Signal_handle h);
  Sys.set_signal 40 (Sys.Signal_handle h);
  send "HUP";
  send "TERM";
  send "40";
  Printf.printf "%d\n" !count

let () =
  let try_ n = match Sys.signal n Sys.Signal_ignore with
    | b -> print_endline (show b)
    | exception e -> print_endline (Printexc.to_string e) in
  List.iter try_ [ Sys.sigkill; Sys.sigstop; 0; 65; 64; 99; -29; -100; max_int; Sys.sigpipe ]
