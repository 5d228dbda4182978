(* Gc.get and Gc.set: what is kept, rounded, ignored. *)
open Gc
let say fmt = Printf.printf (fmt ^^ "\n")
let show name = let g = get () in
  say "%s: %d %d %d %d %d %d %d %d %d %d %d" name g.minor_heap_size g.major_heap_increment g.space_overhead g.verbose g.max_overhead g.stack_limit g.allocation_policy g.window_size g.custom_major_ratio g.custom_minor_ratio g.custom_minor_max_size
let () =
  show "start";
  List.iter (fun n -> set { (get ()) with minor_heap_size = n }; show ("minor " ^ string_of_int n)) [1000; 4096; 5000; 1_000_000; 262144];
  List.iter (fun n -> set { (get ()) with space_overhead = n }; show ("overhead " ^ string_of_int n)) [200; 1; 0; -5; 120];
  set { (get ()) with major_heap_increment = 5; max_overhead = 5; allocation_policy = 2; window_size = 7 }; show "ignored";
  set { (get ()) with custom_major_ratio = 0; custom_minor_ratio = 0; custom_minor_max_size = -1 }; show "customs";
  set { (get ()) with custom_major_ratio = 50; custom_minor_ratio = 60; custom_minor_max_size = 100 }; show "customs";
  set { (get ()) with stack_limit = 500_000 }; show "stack";
  (match set { (get ()) with minor_heap_size = 0 } with () -> show "zero" | exception e -> say "%s" (Printexc.to_string e));
  (match set { (get ()) with minor_heap_size = -1 } with () -> show "negative" | exception e -> say "%s" (Printexc.to_string e));
  say "%d" (get ()).verbose
