(* flags: -I +unix *)
(* libs: unix.cma *)
(* A process that ever had a second domain cannot fork. *)
let () =
  (match Unix.fork () with
   | 0 -> exit 0
   | child -> ignore (Unix.waitpid [] child); print_endline "forked");
  Domain.join (Domain.spawn (fun () -> print_endline (string_of_bool (Unix.getpid () > 0))));
  (try ignore (Unix.fork ()) with Failure m -> print_endline m);
  let c = Unix.open_process_in "echo spawned" in
  print_endline (input_line c);
  ignore (Unix.close_process_in c)
