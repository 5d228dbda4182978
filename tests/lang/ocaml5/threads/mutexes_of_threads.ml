(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let attempt name f =
  match f () with
  | () -> Printf.printf "%s: done\n%!" name
  | exception e -> Printf.printf "%s: %s\n%!" name (Printexc.to_string e)
let () =
  let m = Mutex.create () in
  Mutex.lock m;
  attempt "lock again" (fun () -> Mutex.lock m);
  Thread.join (Thread.create (fun () ->
      Printf.printf "%b\n" (Mutex.try_lock m);
      attempt "unlock another's" (fun () -> Mutex.unlock m)) ());
  Mutex.unlock m;
  attempt "unlock again" (fun () -> Mutex.unlock m);
  (* taken over by those that wait *)
  Mutex.lock m;
  let order = ref [] in
  let t = Thread.create (fun () -> Mutex.lock m; order := "thread" :: !order; Mutex.unlock m) () in
  let d = Domain.spawn (fun () -> Mutex.lock m; order := "domain" :: !order; Mutex.unlock m) in
  Thread.delay 0.01;
  order := [ "main" ];
  Mutex.unlock m;
  Thread.join t; Domain.join d;
  print_endline (String.concat " " (List.sort compare !order));
  (* a condition that a thread and a domain wait for *)
  let c = Condition.create () and ready = ref 0 and go = ref false in
  let wait () =
    Mutex.lock m; incr ready;
    while not !go do Condition.wait c m done;
    Mutex.unlock m in
  let t = Thread.create wait () and d = Domain.spawn wait in
  while Mutex.protect m (fun () -> !ready) < 2 do Thread.yield () done;
  Mutex.protect m (fun () -> go := true; Condition.broadcast c);
  Thread.join t; Domain.join d;
  print_endline "both"
