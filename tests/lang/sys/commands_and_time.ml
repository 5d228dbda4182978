external time_all : bool -> float = "caml_sys_time_include_children"

let () =
  let run c = Printf.printf "%d\n%!" (Sys.command c) in
  run "true";
  run "false";
  run "exit 42";
  run "echo from the shell";
  run "no_such_command_here 2>/dev/null";
  run "kill -9 $$";
  run "";
  (try run "echo a\000b" with e -> print_endline (Printexc.to_string e));
  run (Filename.quote_command "echo" [ "a b"; "c'd" ]);
  let t = Sys.time () in
  let rec burn n = if n = 0 then 0 else (n land 1) + burn (n - 1) in
  for _ = 1 to 100 do ignore (burn 1000) done;
  Printf.printf "%b %b\n" (Sys.time () >= t) (time_all true >= time_all false);
  Random.self_init ();
  let a = Random.bits () in
  Random.self_init ();
  Printf.printf "%b\n" (a <> Random.bits () || a <> Random.bits ())
