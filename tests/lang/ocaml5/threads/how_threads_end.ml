(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Uncaught exceptions, handlers, Thread.Exit. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
exception Pair of int * string
let run f = Thread.join (Thread.create f ())
let () =
  run (fun () -> failwith "boom");
  run (fun () -> raise (Pair (3, "three")));
  run (fun () -> Thread.exit ());
  run (fun () -> raise Thread.Exit);
  run (fun () -> raise Stdlib.Exit);
  let t = Thread.create (fun () -> 1) () in
  Thread.join t; Thread.join t;
  p "size %d tag %d" (Obj.size (Obj.repr t)) (Obj.tag (Obj.repr t));
  Thread.set_uncaught_exception_handler (fun e -> p "handler: %s in %d" (Printexc.to_string e) (Thread.id (Thread.self ())));
  run (fun () -> failwith "handled");
  Thread.set_uncaught_exception_handler (fun e -> p "handler: %s" (Printexc.to_string e); raise Thread.Exit);
  run (fun () -> failwith "handler exits");
  Thread.set_uncaught_exception_handler (fun _ -> raise Not_found);
  run (fun () -> failwith "handler raises");
  Thread.set_uncaught_exception_handler Thread.default_uncaught_exception_handler;
  run (fun () -> failwith "default");
  Domain.join (Domain.spawn (fun () -> run (fun () -> failwith "in a domain")));
  (match Domain.join (Domain.spawn (fun () -> Thread.exit ())) with
   | () -> p "returned"
   | exception e -> p "domain: %s" (Printexc.to_string e));
  (match Thread.exit () with () -> () | exception Thread.Exit -> p "Thread.Exit in main");
  at_exit (fun () -> p "at_exit");
  ignore (Thread.create (fun () -> Thread.delay 5.; p "never") ());
  p "end"
