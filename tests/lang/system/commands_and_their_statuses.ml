let () =
  List.iter (fun c -> Printf.printf "%d\n" (Sys.command c)) [ "true"; "false"; "exit 42";
      "sh -c 'kill -9 $$'"; "" ];
  print_string "before "; flush stdout;
  ignore (Sys.command "echo from the shell");
  Printf.printf "%d\n" (Sys.command "test -t 0");
  (try ignore (Sys.command "a\000b") with Sys_error s -> print_endline s)
