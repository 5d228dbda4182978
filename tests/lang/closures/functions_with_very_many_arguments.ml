let f a b c d e f g h i j k l m n o p q r s t =
  a - b + c - d + e - f + g - h + i - j + k - l + m - n + o - p + q - r + s - t

let wide a b c d e f g h i j k l m n o p q r s t =
  fun u v w x y z ->
    String.concat ""
      [ a; b; c; d; e; f; g; h; i; j; k; l; m; n; o; p; q; r; s; t; u; v; w; x; y; z ]

let () =
  Printf.printf "%d\n" (f 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
  let g = f 1 2 3 4 5 6 7 8 9 10 11 in
  Printf.printf "%d\n" (g 12 13 14 15 16 17 18 19 20);
  Printf.printf "%d\n" (g 0 0 0 0 0 0 0 0 0);
  print_endline (wide "a" "b" "c" "d" "e" "f" "g" "h" "i" "j" "k" "l" "m" "n" "o" "p" "q" "r" "s"
                   "t" "u" "v" "w" "x" "y" "z")
