(* env: OCAMLRUNPARAM=d=3 *)
let () =
  let held = Mutex.create () in
  let wait () = Mutex.lock held; Mutex.unlock held in
  Mutex.lock held;
  let a = Domain.spawn wait in
  let b = Domain.spawn wait in
  (match Domain.spawn wait with
   | _ -> print_endline "a third one"
   | exception Failure s -> print_endline s);
  Mutex.unlock held;
  List.iter Domain.join [ a; b ];
  Domain.join (Domain.spawn (fun () -> print_endline "again"));
  Printf.printf "%b\n" (Domain.recommended_domain_count () <= 3)
