let () =
  let m = Mutex.create () and stop = ref false and started = ref 0 in
  let others = List.init 3 (fun i -> Thread.create (fun () ->
    incr started;
    while not !stop do
      Mutex.lock m;
      ignore (Sys.opaque_identity (Array.make 100 i));
      Mutex.unlock m;
      Thread.yield ()
    done) ()) in
  let in_child () =
    let sum = ref 0 in
    let ts = List.init 5 (fun i -> Thread.create (fun () ->
      for k = 1 to 1000 do sum := !sum + List.length (List.init 3 (fun _ -> i)) done) ()) in
    List.iter Thread.join ts;
    Gc.full_major ();
    Printf.printf "child: %d, thread %d\n%!" !sum (Thread.id (Thread.self ()));
    exit 5 in
  while !started < 3 do Thread.yield () done;
  for _ = 1 to 3 do
    Thread.yield ();
    match Unix.fork () with
    | 0 -> in_child ()
    | pid ->
      match Unix.waitpid [] pid with
      | _, Unix.WEXITED n -> Printf.printf "status %d\n%!" n
      | _ -> print_endline "?"
  done;
  let t = Thread.create (fun () ->
    match Unix.fork () with
    | 0 -> ignore (Thread.create (fun () -> ()) ()); print_endline "from a thread"; exit 6
    | pid -> match Unix.waitpid [] pid with
      | _, Unix.WEXITED n -> Printf.printf "status %d\n%!" n
      | _ -> print_endline "?") () in
  Thread.join t;
  stop := true;
  List.iter Thread.join others
