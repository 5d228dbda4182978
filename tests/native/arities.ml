(* Calls with fewer and more arguments than functions take: each number that a function takes, split in each way, by
   calls that are hot and see other functions later. *)
let rounds = 1100

let f1 a = a
let f2 a b = a - (2 * b)
let f3 a b c = f2 a b + (3 * c)
let f4 a b c d = f3 a b c - (4 * d)
let f5 a b c d e = f4 a b c d + (5 * e)
let f6 a b c d e f = f5 a b c d e - (6 * f)
let f7 a b c d e f g = f6 a b c d e f + (7 * g)
let f8 a b c d e f g h = f7 a b c d e f g - (8 * h)
let f9 a b c d e f g h i = f8 a b c d e f g h + (9 * i)

(* Functions that return functions: their results get the rest of the arguments. *)
let g1 a = f8 a
let g2 a b = f7 (a + b)
let g3 a b c = let s = a + b + c in fun d e f g h i -> f7 s d e f g h i
let g4 a b c d = if a land 1 = 0 then f5 (b + c + d) else fun e f g h -> e - f + (g * h) - d
let g5 a b c d e = f4 (a + b + c + d + e)
let g6 a b c d e f = f3 (a + b + c + d + e + f)
let g7 a b c d e f g = f2 (a + b + c + d + e + f + g)
let g8 a b c d e f g h = if h > 3 then f1 else fun i -> i + a + b + c + d + e + f + g

let all f i = f i 1 2 3 4 5 6 7
let one f i = (f i) 1 2 3 4 5 6 7
let two f i = (f i 1) 2 3 4 5 6 7
let three f i = ((f i 1) 2) 3 4 5 6 7
let four f i = (f i 1 2 3) 4 5 6 7
let five f i = ((f i) 1 2 3 4) 5 6 7
let six f i = (f i 1 2 3 4 5) 6 7
let seven f i = ((f i 1 2) 3 4 5 6) 7
let each f i = ((((((f i) 1) 2) 3) 4) 5) 6 7

let held f = (f 1, f 1 2, f 1 2 3, f 1 2 3 4, f 1 2 3 4 5, f 1 2 3 4 5 6, f 1 2 3 4 5 6 7)
let use (a, b, c, d, e, f, g) i =
  a 2 3 4 5 6 7 i + b 3 4 5 6 7 i + c 4 5 6 7 i + d 5 6 7 i + e 6 7 i + f 7 i + g i + a 0 0 0 i 0 0 1 + d i 1 2 3

let sum f = let total = ref 0 in for i = 1 to rounds do total := (!total * 7 + f i) land 0xffffff done; !total

let () =
  let functions = [ f8; g1; g2; g4; g5; g6; g7; (fun a b c d e f g h -> a + h) ] in
  List.iter
    (fun way -> List.iter (fun f -> Printf.printf "%d " (sum (way f))) (functions @ functions); print_newline ())
    [ all; one; two; three; four; five; six; seven; each ];
  Printf.printf "%d %d\n" (sum (use (held f8))) (sum (fun i -> use (held (f9 i)) i));
  Printf.printf "%d %d\n" (sum (fun i -> g3 i 1 2 3 4 5 6 7 8 + f9 i 1 2 3 4 5 6 7 8)) (sum (fun i -> g8 i 1 2 3 4 5 6 (i land 7) 8))
