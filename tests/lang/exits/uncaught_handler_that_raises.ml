let () =
  Printexc.set_uncaught_exception_handler (fun _ _ -> raise Exit);
  failwith "first"
