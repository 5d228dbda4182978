let () = at_exit (fun () -> prerr_endline "at exit"); print_string "lost"; close_out stdout; prerr_endline "closed"; (try print_string "x"; flush stdout with Sys_error s -> prerr_endline s); exit 0
