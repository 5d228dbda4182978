(* env: OCAMLRUNPARAM=d=0 *)
let () = print_endline "never"
