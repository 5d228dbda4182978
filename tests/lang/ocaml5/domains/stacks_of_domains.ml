(* Each domain has a stack of its own, with the limit of the first one's. *)
let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)
let rec endless n = 1 + endless (n + 1)
let overflows f = match f 0 with _ -> "returned" | exception Stack_overflow -> "overflow"
let () =
  let d = Domain.spawn (fun () -> depth 1_000_000) in
  Printf.printf "%d %d\n" (depth 1_000_000) (Domain.join d);
  Printf.printf "%s\n%!" (Domain.join (Domain.spawn (fun () -> Gc.set { (Gc.get ()) with stack_limit = 100_000 }; overflows endless)));
  (match Domain.join (Domain.spawn (fun () -> endless 0)) with
   | _ -> ()
   | exception Stack_overflow -> print_endline "overflow in join");
  Printf.printf "%d\n" (Domain.join (Domain.spawn (fun () -> depth 10_000)))
