type tree = Leaf | Node of tree * int * tree

let rec insert x tree =
  match tree with
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) ->
      if x < y then Node (insert x l, y, r)
      else Node (l, y, insert x r)

let rec depth = function
  | Leaf -> 0
  | Node (l, _, r) -> 1 + max (depth l) (depth r)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let rec sum_to acc n =
  if n = 0 then acc
  else sum_to (acc + n) (n - 1)

let () =
  let tree = List.fold_left (fun t x -> insert x t) Leaf [5; 2; 8; 1; 9; 3] in
  Printf.printf "%d\n" (depth tree);
  Printf.printf "%d\n" (fib 6);
  Printf.printf "%d\n%!" (sum_to 0 10)
