let f1 a = a * 2
let f2 a b = (a * 10) + b
let f3 a b c = (f2 a b * 10) + c
let f4 a b c d = (f3 a b c * 10) + d
let f5 a b c d e = (f4 a b c d * 10) + e
let f6 a b c d e f = (f5 a b c d e * 10) + f
let f7 a b c d e f g = (f6 a b c d e f * 10) + g
let f8 a b c d e f g h = (f7 a b c d e f g * 10) + h

(* Through a reference, so that no call is known to the compiler. *)
let unknown f = !(ref f)

let () =
  Printf.printf "%d %d %d %d\n" (unknown f1 1) (unknown f2 1 2) (unknown f3 1 2 3)
    (unknown f4 1 2 3 4);
  Printf.printf "%d %d\n" (unknown f5 1 2 3 4 5) (unknown f6 1 2 3 4 5 6);
  Printf.printf "%d %d\n" (unknown f7 1 2 3 4 5 6 7) (unknown f8 1 2 3 4 5 6 7 8)
