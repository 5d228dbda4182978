(* env: OCAMLRUNPARAM=l=100 *)
let () = print_endline "not reached"
