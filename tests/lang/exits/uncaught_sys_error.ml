let () = ignore (open_in_bin "/no/such/file")
