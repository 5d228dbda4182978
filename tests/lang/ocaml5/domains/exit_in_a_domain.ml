(* exit ends the process with its status, after the functions of at_exit. *)
let () = at_exit (fun () -> print_endline "program")
let () = Domain.at_exit (fun () -> print_endline "main's")
let () =
  let stop = Atomic.make false in
  let d = Domain.spawn (fun () ->
    Domain.at_exit (fun () -> print_endline "domain's");
    at_exit (fun () -> print_endline "registered there");
    print_string "unflushed ";
    exit 3) in
  while not (Atomic.get stop) do Domain.cpu_relax () done;
  Domain.join d; print_endline "never"
