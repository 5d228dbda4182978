let () =
  at_exit (fun () -> print_endline "first registered");
  at_exit (fun () -> failwith "second");
  at_exit (fun () -> print_endline "third registered");
  print_endline "main"
