(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
exception Deep of int

let rec f n =
  if n = 0 then raise (Deep 5)
  else
    let r = f (n - 1) in
    r + 1

let g x =
  let y = f x in
  y * 2

let h x = g x + g x
let () = print_int (h 3)
