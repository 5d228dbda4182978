(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let () =
  at_exit (fun () -> print_endline "at exit");
  let t = Thread.create (fun () -> (try Thread.exit () with Thread.Exit -> print_endline "an exception"); Thread.exit (); print_endline "never") () in
  Thread.join t;
  Thread.exit ();
  print_endline "never"
