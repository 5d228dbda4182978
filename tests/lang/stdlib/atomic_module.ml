let () =
  let a = Atomic.make 10 in
  Printf.printf "%d\n" (Atomic.get a);
  Atomic.set a 20;
  Printf.printf "%d\n" (Atomic.exchange a 30);
  Printf.printf "%b %b\n" (Atomic.compare_and_set a 31 0) (Atomic.compare_and_set a 30 40);
  Printf.printf "%d %d\n" (Atomic.fetch_and_add a 5) (Atomic.get a);
  Atomic.incr a; Atomic.decr a; Atomic.decr a;
  Printf.printf "%d\n" (Atomic.get a);
  let r = Atomic.make [ "x" ] in
  let old = Atomic.get r in
  Printf.printf "%b %b\n" (Atomic.compare_and_set r [ "x" ] []) (Atomic.compare_and_set r old []);
  Printf.printf "%d\n" (List.length (Atomic.get r))
