(* system(3) ignores SIGINT in the caller, so the signal comes from a background shell, which waits
   until the command is over. *)
let prepare () =
  ignore (Sys.command "(read line < go; sleep 0.1; kill -INT $PPID) > /dev/null 2>&1 &")
let interrupt () = close_out (open_out "go")

let () =
  ignore (Sys.command "mkfifo go");
  Sys.catch_break true;
  prepare ();
  (try
     interrupt ();
     while true do ignore (Sys.opaque_identity 1) done
   with Sys.Break -> print_endline "Break");
  Printf.printf "%b\n" (Sys.sigint = -6);
  prepare ();
  interrupt ();
  while true do ignore (Sys.opaque_identity 1) done
