#use "topfind";;
#require "zarith";;
let rec factorial n = if n = 0 then Z.one else Z.mul (Z.of_int n) (factorial (n - 1))
let () = print_endline (Z.to_string (factorial 30));
  Printf.printf "%s\n" (Q.to_string (Q.add (Q.of_ints 1 3) (Q.of_ints 1 6)))
