(* under: no: valgrind and qemu report the abort, too *)
(* env: OCAMLRUNPARAM=d=0 *)
let () = print_endline "never"
