let () = at_exit (fun () -> print_endline "at exit");;
print_endline "before";;
#quit;;
print_endline "never"
