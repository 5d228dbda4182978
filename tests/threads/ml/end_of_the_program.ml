(* The end of the first thread is the program's, whatever the others do. *)
let () =
  let r, _ = Unix.pipe () in
  let _ = Thread.create (fun () -> Unix.read r (Bytes.create 1) 0 1) () in
  let _ = Thread.create (fun () -> while true do ignore (Sys.opaque_identity (ref 1)) done) () in
  let _ = Thread.create (fun () -> ignore (input_line (Unix.in_channel_of_descr r))) () in
  let m = Mutex.create () in
  Mutex.lock m;
  let _ = Thread.create (fun () -> Mutex.lock m) () in
  Thread.delay 0.12;
  print_endline "end";
  exit 3
