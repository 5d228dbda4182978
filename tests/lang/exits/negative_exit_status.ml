let () = at_exit (fun () -> print_endline "bye"); exit (-3)
