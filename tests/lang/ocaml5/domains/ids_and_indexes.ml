(* The id of a domain is never used again, its index is. *)
let show () = Printf.sprintf "%d/%d" (Domain.self () :> int) (Domain.self_index ())
let run f = Domain.join (Domain.spawn f)

let held = Mutex.create ()
let waiting () = Mutex.lock held; Mutex.unlock held; show ()

let () =
  Printf.printf "main %s %b\n" (show ()) (Domain.is_main_domain ());
  for _ = 1 to 4 do print_endline (run show) done;
  Printf.printf "a domain is main: %b\n" (run Domain.is_main_domain);
  Mutex.lock held;
  let a = Domain.spawn waiting in
  let b = Domain.spawn waiting in
  let c = run show in
  Mutex.unlock held;
  Printf.printf "%s %s %s, ids %d %d\n" (Domain.join a) (Domain.join b) c
    (Domain.get_id a :> int) (Domain.get_id b :> int);
  let id () = string_of_int (Domain.self () :> int) in
  print_endline (run (fun () -> run (fun () -> run id ^ " in " ^ id ()) ^ " in " ^ id ()));
  Printf.printf "main %s %b\n" (show ()) (Domain.is_main_domain ());
  let d = Domain.spawn ignore in
  Printf.printf "equal ids: %b %b\n" (Domain.get_id d = Domain.get_id d)
    (Domain.get_id d = Domain.self ());
  Domain.join d
