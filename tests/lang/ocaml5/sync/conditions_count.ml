(* signal wakes one, broadcast all; waiting releases the mutex. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let m = Mutex.create () and c = Condition.create () in
  let waiting = ref 0 and woken = ref 0 and permits = ref 0 in
  let ds = List.init 5 (fun _ -> Domain.spawn (fun () -> Mutex.lock m; incr waiting; while !permits = 0 do Condition.wait c m done; decr permits; incr woken; Mutex.unlock m)) in
  let rec until f = Mutex.lock m; let ok = f () in Mutex.unlock m; if not ok then begin Domain.cpu_relax (); until f end in
  until (fun () -> !waiting = 5); say "five wait, the mutex is free: %b" (Mutex.try_lock m && (Mutex.unlock m; true));
  Mutex.protect m (fun () -> permits := 1; Condition.signal c); until (fun () -> !woken = 1); say "one";
  Mutex.protect m (fun () -> permits := 2; Condition.signal c; Condition.signal c); until (fun () -> !woken = 3); say "three";
  Mutex.protect m (fun () -> permits := 2; Condition.broadcast c); List.iter Domain.join ds; say "%d %d" !woken !permits
