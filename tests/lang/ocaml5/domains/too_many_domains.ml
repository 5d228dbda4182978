(* under: no: valgrind has room for fewer threads *)
(* 128 domains at once; those that ended make room. *)
let held = Mutex.create ()
let wait () = Mutex.lock held; Mutex.unlock held

let spawn_until_full () =
  let rec go n l =
    match Domain.spawn wait with
    | d -> go (n + 1) (d :: l)
    | exception e -> Printf.printf "%d, then %s\n" n (Printexc.to_string e); l in
  go 0 []

let () =
  Mutex.lock held;
  let l = spawn_until_full () in
  Mutex.unlock held;
  List.iter Domain.join l;
  Mutex.lock held;
  let l = spawn_until_full () in
  Mutex.unlock held;
  List.iter Domain.join l;
  Printf.printf "%b\n" (Domain.join (Domain.spawn Domain.self_index) > 0);
  Printf.printf "%b\n" (Domain.recommended_domain_count () >= 1)
