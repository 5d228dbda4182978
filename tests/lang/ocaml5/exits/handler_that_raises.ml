let () =
  Printexc.set_uncaught_exception_handler (fun e _ -> prerr_endline "handler"; failwith "in the handler");
  at_exit (fun () -> print_endline "at exit");
  raise Not_found
