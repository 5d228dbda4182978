(* Allocation: many short-lived trees beside a long-lived one. *)
type tree = Leaf | Node of tree * tree

let rec make depth = if depth = 0 then Node (Leaf, Leaf) else Node (make (depth - 1), make (depth - 1))
let rec check = function Leaf -> 0 | Node (l, r) -> 1 + check l + check r

let () =
  let depth = int_of_string Sys.argv.(1) in
  let long_lived = make depth in
  let d = ref 4 in
  while !d <= depth do
    let rounds = 1 lsl (depth - !d + 4) in
    let sum = ref 0 in
    for _ = 1 to rounds do
      sum := !sum + check (make !d)
    done;
    Printf.printf "%d trees of depth %d: %d\n" rounds !d !sum;
    d := !d + 4
  done;
  Printf.printf "long lived: %d\n" (check long_lived)
