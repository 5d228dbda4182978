let () = invalid_arg "argument text"
