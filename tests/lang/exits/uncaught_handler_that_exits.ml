let () =
  Printexc.set_uncaught_exception_handler (fun e _ ->
      prerr_endline ("giving up: " ^ Printexc.to_string e);
      exit 77);
  raise End_of_file
