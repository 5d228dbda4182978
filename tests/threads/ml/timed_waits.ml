let () =
  let r, w = Unix.pipe () in
  Printf.printf "%b %b\n%!" (Thread.wait_timed_read r 0.01) (Thread.wait_timed_write w 0.01);
  let t = Thread.create (fun () -> Thread.delay 0.02; ignore (Unix.write_substring w "x" 0 1)) () in
  Printf.printf "%b\n%!" (Thread.wait_timed_read r 2.);
  Thread.join t;
  let m = Mutex.create () in
  let late = Thread.create (fun () -> Mutex.lock m; Thread.delay 0.05; Mutex.unlock m) () in
  Thread.delay 0.01;
  Mutex.lock m;
  print_endline "locked";
  Mutex.unlock m;
  Thread.join late;
  let pid = Unix.create_process "sh" [| "sh"; "-c"; "sleep 0.05; exit 9" |] Unix.stdin Unix.stdout Unix.stderr in
  let ticks = ref 0 and over = ref false in
  let clock = Thread.create (fun () -> while not !over do Thread.delay 0.005; incr ticks done) () in
  (match Thread.wait_pid pid with _, Unix.WEXITED n -> Printf.printf "status %d\n" n | _ -> ());
  over := true;
  Thread.join clock;
  Printf.printf "ticked: %b\n" (!ticks > 2)
