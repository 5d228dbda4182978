let () =
  Printexc.set_uncaught_exception_handler (fun e bt ->
      Printf.eprintf "handler: %s, %d slots\n" (Printexc.to_string e)
        (Printexc.raw_backtrace_length bt));
  at_exit (fun () -> print_endline "at_exit");
  failwith "to the handler"
