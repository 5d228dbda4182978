(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
let f a i = a.(i) + 1
let () = print_int (f [| 1; 2 |] (Sys.opaque_identity 7))
