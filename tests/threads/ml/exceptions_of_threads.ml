exception Mine of int * string

let rec deep n = if n = 0 then raise (Mine (1, "deep")) else 1 + deep (n - 1)
let rec endless n = 1 + endless (n + 1)

let () =
  Printexc.record_backtrace false;
  Thread.join (Thread.create (fun () -> raise (Mine (42, "text"))) ());
  Thread.join (Thread.create (fun () -> failwith "in a thread") ());
  Thread.join (Thread.create (fun () -> raise Not_found) ());
  Printexc.record_backtrace true;
  Thread.join (Thread.create (fun () -> ignore (deep 3)) ());
  Printexc.record_backtrace false;
  Thread.join (Thread.create (fun () ->
    match endless 0 with
    | _ -> print_endline "?"
    | exception Stack_overflow -> print_endline "overflow") ());
  Thread.join (Thread.create (fun () -> print_endline "before"; Thread.exit ();
                                        print_endline "never") ());
  let inner = ref None in
  let t = Thread.create (fun () ->
    try inner := Some (Thread.create (fun () -> Thread.delay 0.01; failwith "inner") ());
        raise Exit
    with Exit -> print_endline "caught") () in
  Thread.join t;
  (match !inner with Some i -> Thread.join i | None -> ());
  at_exit (fun () -> print_endline "at_exit");
  failwith "the end"
