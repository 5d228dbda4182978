(* flags: -g -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* The default handler and handlers of the program's own. *)
exception Mine of int * string
let _ = Effect.Deep.continue (* links the module *)
let run f = Thread.join (Thread.create f ())
let () =
  run (fun () -> failwith "boom");
  run (fun () -> raise (Mine (1, "x")));
  run (fun () -> raise Thread.Exit);
  run (fun () -> ignore (Effect.perform (let module M = struct type _ Effect.t += E : int Effect.t end in M.E)));
  prerr_endline "own handler";
  Thread.set_uncaught_exception_handler (fun e -> Printf.eprintf "[%s in %d]\n%!" (Printexc.to_string e) (Thread.id (Thread.self ())));
  run (fun () -> failwith "boom");
  run (fun () -> raise Thread.Exit);
  Thread.set_uncaught_exception_handler (fun e -> failwith "in the handler");
  run (fun () -> raise Not_found);
  Thread.set_uncaught_exception_handler Thread.default_uncaught_exception_handler;
  run (fun () -> raise Not_found);
  print_endline "main goes on"
