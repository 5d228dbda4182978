let caught = ref 0

let handler n =
  caught := !caught + (if n = Sys.sigusr1 then 1 else 100);
  print_endline "signal"

let work x =
  Unix.kill (Unix.getpid ()) Sys.sigusr1;
  x + !caught

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle handler);
  print_int (work 3);
  print_newline ();
  (try
     Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> raise Exit));
     print_int (work 4)
   with Exit -> print_endline "exit");
  print_int !caught;
  print_newline ()
