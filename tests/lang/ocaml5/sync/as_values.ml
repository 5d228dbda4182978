(* Mutexes and conditions compared, hashed, marshalled, printed as values. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  let m = Mutex.create () and n = Mutex.create () and c = Condition.create () and d = Condition.create () in
  show "equal to itself" (fun () -> Printf.sprintf "%b %b" (m = m) (c = c));
  show "equal to another" (fun () -> Printf.sprintf "%b %b" (m = n) (c = d));
  show "compare is antisymmetric" (fun () -> Printf.sprintf "%b %b" (compare m n = - (compare n m)) (compare c d = - (compare d c)));
  show "hash" (fun () -> Printf.sprintf "%b" (Hashtbl.hash m = Hashtbl.hash m));
  show "marshal a mutex" (fun () -> string_of_int (String.length (Marshal.to_string m [])));
  show "marshal a condition" (fun () -> string_of_int (String.length (Marshal.to_string [c] [])));
  show "tags" (fun () -> Printf.sprintf "%d %d" (Obj.tag (Obj.repr m)) (Obj.tag (Obj.repr c)));
  show "sizes" (fun () -> Printf.sprintf "%d %d" (Obj.size (Obj.repr m)) (Obj.size (Obj.repr c)));
  Gc.full_major ();
  show "after a collection" (fun () -> Mutex.lock m; Mutex.unlock m; Condition.signal c; Printf.sprintf "%b" (m = m));
  let held = ref [] in
  for i = 1 to 1000 do let m = Mutex.create () in if i mod 2 = 0 then Mutex.lock m; if i mod 100 = 0 then held := m :: !held done;
  Gc.full_major (); Gc.full_major ();
  say "%d" (List.length (List.filter (fun m -> not (Mutex.try_lock m)) !held))
