(* A smaller stack overflows sooner. *)
let reached = ref 0
let rec dive n = reached := n; 1 + dive (n + 1)
let dive () = reached := 0; (try ignore (dive 0) with Stack_overflow -> ()); !reached

let () =
  let initial = Gc.get () in
  Gc.set { initial with Gc.stack_limit = 50_000 };
  let shallow = dive () in
  Gc.set initial;
  let deep = dive () in
  Printf.printf "%b %b\n" (shallow < 50_000 && shallow > 5_000) (deep > 5 * shallow)
