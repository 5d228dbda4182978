(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let () =
  at_exit (fun () -> print_endline "at exit");
  let t = Thread.create (fun () -> print_endline "thread"; exit 7) () in
  Thread.join t;
  while true do Thread.yield () done
