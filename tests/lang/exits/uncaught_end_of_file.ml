let () = ignore (input_line stdin)
