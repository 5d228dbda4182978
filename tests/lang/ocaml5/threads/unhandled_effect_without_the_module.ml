(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Without Effect's code the runtime has no exception to raise: the program ends. *)
type _ eff = ..
type _ eff += Ask : int eff
external perform : 'a eff -> 'a = "%perform"
let () =
  at_exit (fun () -> print_endline "at exit");
  Thread.join (Thread.create (fun () -> try print_int (perform Ask) with _ -> print_endline "caught") ());
  print_endline "main"
