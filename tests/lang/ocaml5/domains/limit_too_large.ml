(* under: no: valgrind and qemu report the abort, too *)
(* env: OCAMLRUNPARAM=d=4097 *)
let () = print_endline "never"
