let () = print_string "before"; exit 42
