exception Enough of int

let apply_n n f x =
  let rec go i acc = if i = n then acc else go (i + 1) (f acc) in
  go 0 x

let guard limit f x = if x > limit then raise (Enough x) else f x
let pipeline = List.fold_left (fun f g x -> g (f x)) Fun.id

let () =
  let steps = pipeline [ ( + ) 1; ( * ) 3; guard 1000 pred; (fun x -> x - 1) ] in
  (match apply_n 20 steps 1 with
   | n -> Printf.printf "%d\n" n
   | exception Enough n -> Printf.printf "enough %d\n" n);
  let curried = List.map (fun f -> f 10) [ ( + ); ( - ); ( * ); ( / ); ( mod ); min; max;
      ( land ); ( lsl ) ] in
  List.iter (fun f -> Printf.printf "%d " (try f 3 with Division_by_zero -> -1)) curried;
  List.iter (fun f -> Printf.printf "%d " (try f 0 with Division_by_zero -> -1)) curried;
  print_newline ();
  let uncurry f (a, b) = f a b and curry f a b = f (a, b) in
  Printf.printf "%d %d\n" (uncurry ( - ) (5, 3)) (curry (fun (a, b) -> a * b) 6 7);
  let compose3 f g h x = f (g (h x)) in
  Printf.printf "%s\n" (compose3 string_of_int succ String.length "four")
