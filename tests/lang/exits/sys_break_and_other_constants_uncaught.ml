let () = Sys.catch_break false; raise Sys.Break
