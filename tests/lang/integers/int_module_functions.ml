let () =
  let open Int in
  Printf.printf "%d %d %d %d\n" zero one minus_one (neg 5);
  Printf.printf "%d %d %d %d %d\n" (add 1 2) (sub 1 2) (mul 3 4) (div 7 2) (rem (-7) 2);
  Printf.printf "%d %d %d\n" (succ 1) (pred 1) (abs (-9));
  Printf.printf "%d %d %d %d\n" (logand 12 10) (logor 12 10) (logxor 12 10) (lognot 12);
  Printf.printf "%d %d %d\n" (shift_left 3 4) (shift_right (-16) 2) (shift_right_logical (-1) 60);
  Printf.printf "%b %d %d %d\n" (equal 1 1) (compare 1 2) (compare 2 1) (compare 3 3);
  Printf.printf "%g %d %s\n" (to_float 3) (of_float (-3.9)) (to_string min_int);
  Printf.printf "%d %d\n" (min 3 4) (max 3 4);
  Printf.printf "%d %d %d %d\n" min_int max_int Sys.int_size Sys.word_size
