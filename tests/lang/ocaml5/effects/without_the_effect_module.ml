(* The runtime has no name for the exception if Effect's code is not linked. *)
type _ eff = ..
type _ eff += Ask : int eff
external perform : 'a eff -> 'a = "%perform"
let () = at_exit (fun () -> print_endline "at exit")
let () = print_endline "start"
let () = print_int (perform Ask)
