type t = A0 | A1 | A2 | A3 | A4 | A5 | A6 | A7 | A8 | A9 | B0 of int | B1 of string | B2 of t
       | B3 of t * t | B4 of { l : t; r : int } | B5 of float | B6 of (int -> int) | B7 of int array

let rec f = function
  | A0 -> 0 | A1 -> 11 | A2 -> 22 | A3 -> 33 | A4 -> 44 | A5 -> 55 | A6 -> 66 | A7 -> 77 | A8 -> 88
  | A9 -> 99
  | B0 n -> n
  | B1 s -> String.length s
  | B2 t -> f t + 1
  | B3 (A0, t) | B3 (t, A0) -> f t
  | B3 (a, b) -> f a * f b
  | B4 { l; r } -> f l + r
  | B5 x -> int_of_float x
  | B6 g -> g 10
  | B7 a -> Array.length a

let () =
  List.iter (fun t -> Printf.printf "%d " (f t))
    [ A0; A1; A2; A3; A4; A5; A6; A7; A8; A9; B0 5; B1 "four"; B2 (B2 A3); B3 (A0, A4); B3 (A5, A0);
      B3 (A1, A2); B4 { l = A9; r = 1 }; B5 6.5; B6 succ; B7 [| 1; 2; 3 |] ];
  print_newline ()
