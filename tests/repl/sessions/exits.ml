print_endline "bye";;
at_exit (fun () -> print_endline "at exit");;
exit 3;;
print_endline "never";;
