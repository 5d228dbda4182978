(* Thread.exit in the first thread lets the others end; no at_exit function runs. *)
let () =
  at_exit (fun () -> print_endline "never");
  let first = Thread.self () in
  let _ = Thread.create (fun () -> Thread.join first; Thread.delay 0.02;
                                   print_endline "still here"; flush stdout) () in
  Thread.exit ()
