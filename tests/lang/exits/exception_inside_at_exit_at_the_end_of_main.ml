let () =
  at_exit (fun () -> print_endline "still runs");
  at_exit (fun () -> print_endline "raises"; failwith "in at_exit");
  print_endline "main"
