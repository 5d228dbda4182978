(* A mutex knows its owner. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let ok f () = f (); "fine"
let inside f = Domain.join (Domain.spawn f)
let () =
  let m = Mutex.create () in
  show "unlock when free" (ok (fun () -> Mutex.unlock m));
  Mutex.lock m;
  show "lock again" (ok (fun () -> Mutex.lock m));
  show "try_lock again" (fun () -> string_of_bool (Mutex.try_lock m));
  show "unlock by another" (fun () -> inside (ok (fun () -> Mutex.unlock m)));
  show "try_lock by another" (fun () -> inside (fun () -> string_of_bool (Mutex.try_lock m)));
  show "unlock" (ok (fun () -> Mutex.unlock m));
  show "unlock again" (ok (fun () -> Mutex.unlock m));
  show "try_lock" (fun () -> string_of_bool (Mutex.try_lock m));
  show "protect while held" (fun () -> Mutex.protect m (fun () -> "?"));
  Mutex.unlock m;
  show "protect" (fun () -> Mutex.protect m (fun () -> string_of_bool (Mutex.try_lock m)));
  show "protect raises" (fun () -> Mutex.protect m (fun () -> failwith "inside"));
  show "free afterwards" (fun () -> string_of_bool (Mutex.try_lock m && (Mutex.unlock m; true)));
  show "protect unlocks itself" (fun () -> Mutex.protect m (fun () -> Mutex.unlock m; "early"));
  let c = Condition.create () in
  show "wait without the lock" (ok (fun () -> Condition.wait c m));
  show "signal without anybody" (ok (fun () -> Condition.signal c; Condition.broadcast c));
  show "wait with another's lock" (fun () -> Mutex.lock m; Fun.protect ~finally:(fun () -> Mutex.unlock m) (fun () -> inside (ok (fun () -> Condition.wait c m))));
  show "a thousand" (fun () -> let ms = Array.init 1000 (fun _ -> Mutex.create ()) in
    Array.iter Mutex.lock ms; Array.iter Mutex.unlock ms; string_of_int (Array.length ms))
