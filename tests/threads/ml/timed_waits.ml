let () =
  let r, w = Unix.pipe () in
  Printf.printf "%b %b\n%!" (Thread.wait_timed_read r 0.01) (Thread.wait_timed_write w 0.01);
  let t = Thread.create (fun () -> Thread.delay 0.02; ignore (Unix.write_substring w "x" 0 1)) () in
  Printf.printf "%b\n%!" (Thread.wait_timed_read r 60.);
  Thread.join t;
  let m = Mutex.create () in
  let late = Thread.create (fun () -> Mutex.lock m; Thread.delay 0.05; Mutex.unlock m) () in
  Thread.delay 0.01;
  Mutex.lock m;
  print_endline "locked";
  Mutex.unlock m;
  Thread.join late;
  (* A process that ends when the clock beside has ticked: waiting for it must not stop the clock. *)
  let input, go = Unix.pipe ~cloexec:true () in
  let pid = Unix.create_process "sh" [| "sh"; "-c"; "read line; exit 9" |] input Unix.stdout Unix.stderr in
  let clock = Thread.create (fun () ->
    for _ = 1 to 3 do Thread.delay 0.005 done;
    ignore (Unix.write_substring go "on\n" 0 3)) () in
  (match Thread.wait_pid pid with _, Unix.WEXITED n -> Printf.printf "status %d\n" n | _ -> ());
  Thread.join clock
