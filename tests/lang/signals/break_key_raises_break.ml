(* system(3) ignores SIGINT in the caller, so the signal comes from a shell left behind. *)
let interrupt () = ignore (Sys.command "(sleep 0.1; kill -INT $PPID) > /dev/null 2>&1 &")

let () =
  Sys.catch_break true;
  (try
     interrupt ();
     while true do ignore (Sys.opaque_identity 1) done
   with Sys.Break -> print_endline "Break");
  Printf.printf "%b\n" (Sys.sigint = -6);
  interrupt ();
  while true do ignore (Sys.opaque_identity 1) done
