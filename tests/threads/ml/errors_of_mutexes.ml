let attempt name f =
  match f () with
  | () -> Printf.printf "%s: done\n%!" name
  | exception e -> Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let () =
  let m = Mutex.create () and n = Mutex.create () and c = Condition.create () in
  attempt "unlock a free one" (fun () -> Mutex.unlock m);
  attempt "lock" (fun () -> Mutex.lock m);
  attempt "lock again" (fun () -> Mutex.lock m);
  Printf.printf "try: %b %b\n%!" (Mutex.try_lock m) (Mutex.try_lock n);
  attempt "wait without the mutex" (fun () -> Mutex.unlock n; Condition.wait c n);
  let t = Thread.create (fun () -> attempt "unlock another's" (fun () -> Mutex.unlock m);
                                   Printf.printf "try another's: %b\n%!" (Mutex.try_lock m)) () in
  Thread.join t;
  Mutex.unlock m;
  Thread.join (Thread.create (fun () -> Mutex.lock m) ());
  Printf.printf "held by a dead thread: %b\n" (not (Mutex.try_lock m));
  attempt "unlock that" (fun () -> Mutex.unlock m);
  Printf.printf "equal: %b %b\n" (compare n n = 0) (compare m n = 0);
  Printf.printf "ids: %d %b\n" (Thread.id (Thread.self ())) (Thread.id t > 0);
  attempt "kill" (fun () -> Thread.kill t)
