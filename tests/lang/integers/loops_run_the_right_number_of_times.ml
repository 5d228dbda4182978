let run a b = let n = ref 0 in for _ = a to b do incr n done; !n
let down a b = let n = ref 0 in for _ = a downto b do incr n done; !n

let () =
  Printf.printf "%d %d %d %d\n" (run 1 10) (run 1 1) (run 2 1) (run (-5) 5);
  Printf.printf "%d %d %d %d\n" (down 10 1) (down 1 1) (down 1 2) (down 5 (-5));
  Printf.printf "%d %d\n" (run (max_int - 3) max_int) (down (min_int + 3) min_int);
  Printf.printf "%d %d\n" (run max_int min_int) (run max_int max_int);
  let i = ref 0 in
  while !i * !i < 1_000_000 do incr i done;
  Printf.printf "%d\n" !i;
  for i = 1 to 3 do for j = i downto 1 do Printf.printf "%d%d " i j done done;
  print_newline ()
