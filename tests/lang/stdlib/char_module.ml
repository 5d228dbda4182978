let () =
  for i = 0 to 255 do
    let c = Char.chr i in
    Printf.printf "%s%d%d " (Char.escaped c) (Char.code (Char.lowercase_ascii c))
      (Char.code (Char.uppercase_ascii c))
  done;
  print_newline ();
  Printf.printf "%d %d %b\n" (Char.compare 'a' 'b') (Char.compare 'b' 'a') (Char.equal 'x' 'x');
  (try ignore (Char.chr 256) with Invalid_argument s -> print_endline s);
  (try ignore (Char.chr (-1)) with Invalid_argument s -> print_endline s)
