(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
exception Mine of string * int
let five a b c d e = a + b + c + d + e
let rec f n = if n = 0 then raise (Mine ("x", 3)) else 1 + f (n - 1)
let g n = five 1 2 3 (try f n with Mine (s, k) -> raise (Mine (s ^ "y", k + 1))) 5
let h n = try g n with e -> raise e
let () = print_int (five 1 2 (h 3) 4 5)
