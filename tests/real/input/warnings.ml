let f x = match x with Some 1 -> "one" | None -> "none"
let g unused = let also = 1 in 2
open List
type t = A | B
let h = function A -> 1 | _ -> 2 | B -> 3
