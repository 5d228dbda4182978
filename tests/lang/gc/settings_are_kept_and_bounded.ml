(* Gc.get and Gc.set: every field is given back as ocamlrun gives it back, bounds included. *)
open Gc
let show label =
  let c = Gc.get () in
  Printf.printf "%s: %d %d %d %d %d %d %d %d %d %d %d\n" label c.minor_heap_size c.major_heap_increment
    c.space_overhead c.verbose c.max_overhead c.stack_limit c.allocation_policy c.window_size
    c.custom_major_ratio c.custom_minor_ratio c.custom_minor_max_size

let () =
  show "start";
  let initial = Gc.get () in
  let set label c = Gc.set c; show label; Gc.set initial in
  set "minor heap of 0" { initial with minor_heap_size = 0 };
  set "minor heap of 5000" { initial with minor_heap_size = 5000 };
  set "minor heap of a million" { initial with minor_heap_size = 1_000_000 };
  set "negative minor heap" { initial with minor_heap_size = -1 };
  set "increment" { initial with major_heap_increment = 100_000 };
  set "overhead 0" { initial with space_overhead = 0 };
  set "overhead 200" { initial with space_overhead = 200 };
  set "max overhead" { initial with max_overhead = 1_000_000 };
  set "stack limit" { initial with stack_limit = 100_000 };
  set "policy 0" { initial with allocation_policy = 0 };
  set "policy 1" { initial with allocation_policy = 1 };
  set "policy 7" { initial with allocation_policy = 7 };
  set "window 0" { initial with window_size = 0 };
  set "window 30" { initial with window_size = 30 };
  set "window 100" { initial with window_size = 100 };
  set "customs 0" { initial with custom_major_ratio = 0; custom_minor_ratio = 0; custom_minor_max_size = 0 };
  set "customs" { initial with custom_major_ratio = 50; custom_minor_ratio = 60; custom_minor_max_size = 70 };
  show "end"
