let () =
  let seen = ref [] in
  let record s = seen := s :: !seen in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle record);
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun s -> record s; failwith "from the handler"));
  ignore (Sys.command "kill -USR1 $PPID");
  (try
     ignore (Sys.command "kill -USR2 $PPID");
     for _ = 1 to 1_000_000 do ignore (Sys.opaque_identity (ref 1)) done
   with Failure s -> print_endline s);
  Printf.printf "%b\n" (List.sort compare !seen = List.sort compare [ Sys.sigusr1; Sys.sigusr2 ]);
  (match Sys.signal Sys.sigusr1 Sys.Signal_ignore with
   | Sys.Signal_handle _ -> print_endline "was handled" | _ -> print_endline "?");
  ignore (Sys.command "kill -USR1 $PPID");
  (match Sys.signal Sys.sigusr1 Sys.Signal_default with
   | Sys.Signal_ignore -> print_endline "was ignored" | _ -> print_endline "?");
  (match Sys.signal Sys.sigint Sys.Signal_default with
   | Sys.Signal_default -> print_endline "was default" | _ -> print_endline "?");
  (try Sys.set_signal 999 Sys.Signal_ignore with Invalid_argument s -> print_endline s |
      Sys_error s -> print_endline s);
  (try Sys.set_signal Sys.sigkill Sys.Signal_ignore with Sys_error s -> print_endline s)
