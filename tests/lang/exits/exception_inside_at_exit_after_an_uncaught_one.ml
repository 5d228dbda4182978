let () =
  at_exit (fun () -> print_endline "raises"; failwith "in at_exit");
  raise Not_found
