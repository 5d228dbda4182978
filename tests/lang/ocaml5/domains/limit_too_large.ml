(* env: OCAMLRUNPARAM=d=4097 *)
let () = print_endline "never"
