let () = print_int (100 / (Array.length Sys.argv - 1))
