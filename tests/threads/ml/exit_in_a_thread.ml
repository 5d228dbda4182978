(* The first thread waits for ever; at_exit functions run in the thread that exits. *)
let () =
  let me = Thread.id (Thread.self ()) in
  at_exit (fun () -> Printf.printf "same thread: %b\n" (Thread.id (Thread.self ()) = me));
  let r, _ = Unix.pipe () in
  let _ = Thread.create (fun () -> Thread.delay 0.02; exit 7) () in
  ignore (Unix.read r (Bytes.create 1) 0 1);
  print_endline "never"
