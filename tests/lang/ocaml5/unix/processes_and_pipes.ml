(* flags: -I +unix *)
(* libs: unix.cma *)
(* fork, exec, wait, pipes, signals between processes, the statuses of children. *)
open Unix

let status = function
  | WEXITED n -> Printf.sprintf "exited %d" n
  | WSIGNALED n -> Printf.sprintf "signal %b" (n = Sys.sigterm)
  | WSTOPPED _ -> "stopped"

let wait_for pid = status (snd (waitpid [] pid))

let () =
  let input, output = pipe () in
  (match fork () with
   | 0 ->
     close input;
     let c = out_channel_of_descr output in
     for i = 1 to 3 do Printf.fprintf c "line %d\n" i done;
     close_out c;
     _exit 7
   | child ->
     close output;
     let c = in_channel_of_descr input in
     (try while true do print_endline (input_line c) done with End_of_file -> ());
     close_in c;
     print_endline (wait_for child));
  (match fork () with
   | 0 -> sleep 100; exit 0
   | child -> kill child Sys.sigterm; print_endline (wait_for child));
  print_endline (wait_for (create_process "sh" [| "sh"; "-c"; "echo from sh; exit 3" |] stdin stdout stderr));
  (match fork () with
   | 0 -> (try execvp "/no/such" [| "x" |] with Unix_error (e, f, a) -> Printf.printf "%s %s %s\n%!" f a (error_message e); _exit 9)
   | child -> print_endline (wait_for child));
  let c = open_process_in "echo one; echo two" in
  print_endline (In_channel.input_all c);
  print_endline (status (close_process_in c));
  let ((i, o, e) as all) = open_process_full "read x; echo got $x; echo err >&2; exit 5" (environment ()) in
  output_string o "word\n";
  close_out o;
  Printf.printf "%S %S\n" (In_channel.input_all i) (In_channel.input_all e);
  print_endline (status (close_process_full all));
  Printf.printf "%s\n" (status (system "exit 4"));
  putenv "TEST_VARIABLE" "value";
  Printf.printf "%s %b\n" (getenv "TEST_VARIABLE") (Array.mem "TEST_VARIABLE=value" (environment ()));
  Printf.printf "%b\n" (getpid () > 0 && getppid () > 0);
  (try ignore (wait ()) with Unix_error (e, f, _) -> Printf.printf "%s %s\n" f (error_message e))
