(* Mutexes know their owner: a thread of a domain. *)
let attempt name f =
  match f () with
  | text -> Printf.printf "%s: %s\n%!" name text
  | exception e -> Printf.printf "%s raises %s\n%!" name (Printexc.to_string e)
let run f = Domain.join (Domain.spawn f)
let locked () = let m = Mutex.create () in Mutex.lock m; m

let () =
  attempt "lock twice" (fun () -> Mutex.lock (let m = locked () in m); let m = locked () in Mutex.lock m; "locked");
  attempt "try_lock" (fun () ->
      let m = Mutex.create () in
      let first = Mutex.try_lock m in Printf.sprintf "%b %b" first (Mutex.try_lock m));
  attempt "try_lock elsewhere" (fun () ->
      let m = locked () in string_of_bool (run (fun () -> Mutex.try_lock m)));
  attempt "unlock free" (fun () -> Mutex.unlock (Mutex.create ()); "unlocked");
  attempt "unlock twice" (fun () -> let m = locked () in Mutex.unlock m; Mutex.unlock m; "unlocked");
  attempt "unlock another's" (fun () -> let m = locked () in run (fun () -> Mutex.unlock m; "unlocked"));
  attempt "the owner still may" (fun () ->
      let m = locked () in
      (try run (fun () -> Mutex.unlock m) with Sys_error s -> print_endline s);
      Mutex.unlock m; "unlocked");
  attempt "of a domain that ended" (fun () ->
      let m = Mutex.create () in
      run (fun () -> Mutex.lock m); string_of_bool (Mutex.try_lock m));
  attempt "wait without lock" (fun () -> Condition.wait (Condition.create ()) (Mutex.create ()); "");
  attempt "wait with another's" (fun () ->
      let m = locked () in run (fun () -> Condition.wait (Condition.create ()) m; ""));
  attempt "signal, broadcast" (fun () ->
      let c = Condition.create () in Condition.signal c; Condition.broadcast c; "nobody waits");
  attempt "protect" (fun () -> let m = Mutex.create () in Mutex.protect m (fun () -> string_of_bool (Mutex.try_lock m)));
  attempt "protect raises" (fun () ->
      let m = Mutex.create () in
      (try Mutex.protect m (fun () -> raise Exit) with Exit -> ());
      string_of_bool (Mutex.try_lock m));
  attempt "protect, unlocked inside" (fun () ->
      let m = Mutex.create () in Mutex.protect m (fun () -> Mutex.unlock m; "inside"));
  attempt "compare" (fun () ->
      let a = Mutex.create () and b = Mutex.create () in
      Printf.sprintf "%d %b %b" (compare a a) (a = b) (Hashtbl.hash a = Hashtbl.hash a));
  attempt "compare conditions" (fun () ->
      let a = Condition.create () and b = Condition.create () in
      Printf.sprintf "%d %b %b" (compare a a) (a = b) (compare a b = - compare b a));
  attempt "marshal" (fun () -> Marshal.to_string (Mutex.create ()) []);
  attempt "marshal condition" (fun () -> Marshal.to_string (Condition.create ()) [])
