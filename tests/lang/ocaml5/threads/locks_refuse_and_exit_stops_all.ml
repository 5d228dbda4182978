(* libs: unix.cma threads.cma *)
(* flags: -I +threads -I +unix *)
(* What mutexes refuse, a broadcast, and exit while other threads run. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let tryf f = match f () with () -> p "fine" | exception e -> p "%s" (Printexc.to_string e)
let () =
  let m = Mutex.create () in
  tryf (fun () -> Mutex.unlock m); Mutex.lock m; tryf (fun () -> Mutex.lock m); p "%b" (Mutex.try_lock m);
  Thread.join (Thread.create (fun () -> tryf (fun () -> Mutex.unlock m); p "%b" (Mutex.try_lock m)) ()); Mutex.unlock m;
  tryf (fun () -> Mutex.protect m (fun () -> failwith "in")); p "%b" (Mutex.try_lock m); Mutex.unlock m;
  tryf (fun () -> Mutex.protect m (fun () -> Mutex.unlock m));
  let c = Condition.create () in tryf (fun () -> Condition.wait c m);
  let n = ref 0 and go = ref false in
  let ts = List.init 5 (fun _ -> Thread.create (fun () -> Mutex.protect m (fun () -> while not !go do Condition.wait c m done; incr n)) ()) in
  Thread.delay 0.01; Mutex.protect m (fun () -> go := true; Condition.broadcast c); List.iter Thread.join ts; p "%d" !n;
  at_exit (fun () -> p "at exit");
  ignore (Thread.create (fun () -> while true do Thread.yield () done) ());
  ignore (Thread.create (fun () -> Thread.delay 100.) ());
  Thread.delay 0.01; exit 3
