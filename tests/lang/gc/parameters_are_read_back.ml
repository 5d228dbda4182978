let () =
  let g = Gc.get () in
  Printf.printf "%d %d %d %d %d %d\n" g.Gc.minor_heap_size g.space_overhead g.verbose g.max_overhead
    g.stack_limit g.allocation_policy;
  Printf.printf "%d %d %d %d %d\n" g.major_heap_increment g.window_size g.custom_major_ratio
    g.custom_minor_ratio g.custom_minor_max_size;
  Gc.set { g with minor_heap_size = 65536; space_overhead = 200; max_overhead = 1000 };
  let g = Gc.get () in
  Printf.printf "%d %d %d\n" g.minor_heap_size g.space_overhead g.max_overhead;
  Gc.set { g with custom_major_ratio = 50; custom_minor_ratio = 60; custom_minor_max_size = 4096 };
  let g = Gc.get () in
  Printf.printf "%d %d %d\n" g.custom_major_ratio g.custom_minor_ratio g.custom_minor_max_size;
  let l = List.init 2_000 (fun i -> [ i ]) in
  Printf.printf "%d\n" (List.length l);
  Gc.set { g with stack_limit = 20_000 };
  let rec deep n = if n = 0 then 0 else 1 + deep (n - 1) in
  Printf.printf "%d\n" (Gc.get ()).stack_limit;
  (match deep 100_000 with n -> print_int n | exception Stack_overflow -> print_endline "overflow")
