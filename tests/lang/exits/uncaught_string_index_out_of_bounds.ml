let () = print_char "abc".[Array.length Sys.argv * 5]
