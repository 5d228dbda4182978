(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let () =
  at_exit (fun () -> print_endline "at_exit");
  ignore (Thread.create (fun () -> Thread.delay 5.; print_endline "never") ());
  print_endline "main";
  Thread.exit ()
