(* Names that the runtime looks up can be registered by the program. *)
let () =
  Callback.register "Printexc.handle_uncaught_exception" (fun (e : exn) (debugger : bool) -> Printf.printf "my handler: %s %b\n%!" (Printexc.to_string e) debugger);
  at_exit (fun () -> print_endline "at exit");
  raise Exit
