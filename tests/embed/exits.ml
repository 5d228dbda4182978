let () = at_exit (fun () -> print_string " after")
let () = print_string "before"; exit 7
