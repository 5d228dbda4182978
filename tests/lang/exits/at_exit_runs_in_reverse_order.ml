let () =
  at_exit (fun () -> print_endline "first registered");
  at_exit (fun () -> print_endline "second registered");
  at_exit (fun () ->
      print_endline "third registered";
      at_exit (fun () -> print_endline "registered during exit"));
  print_endline "main ends"
