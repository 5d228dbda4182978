let () =
  at_exit (fun () -> print_endline "last");
  at_exit (fun () -> print_endline "exiting again"; exit 7);
  exit 3
