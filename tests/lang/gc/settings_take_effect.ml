(* stress: no *)
(* A smaller minor heap collects more often, a smaller stack overflows sooner. *)
let allocate () = for i = 1 to 200_000 do ignore (Sys.opaque_identity (ref i)) done
let minors f =
  let before = (Gc.quick_stat ()).Gc.minor_collections in
  f ();
  (Gc.quick_stat ()).Gc.minor_collections - before

let reached = ref 0
let rec dive n = reached := n; 1 + dive (n + 1)
let dive () = reached := 0; (try ignore (dive 0) with Stack_overflow -> ()); !reached

let () =
  let initial = Gc.get () in
  let many = (Gc.set { initial with Gc.minor_heap_size = 4096 }; minors allocate) in
  let few = (Gc.set { initial with Gc.minor_heap_size = 1_000_000 }; minors allocate) in
  Printf.printf "%b %d\n" (many >= 90 && many <= 110) few;
  Gc.set initial;
  Gc.set { initial with Gc.stack_limit = 50_000 };
  let shallow = dive () in
  Gc.set initial;
  let deep = dive () in
  Printf.printf "%b %b\n" (shallow < 50_000 && shallow > 5_000) (deep > 5 * shallow)
