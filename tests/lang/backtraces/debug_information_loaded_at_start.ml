(* ocaml5: no: it adds (inlined), from uninitialised memory, to unknown locations *)
(* env: OCAMLRUNPARAM=b=2 *)
(* flags: -g *)
let f x = 100 / x
let () = print_int (1 + f (Array.length Sys.argv - 1))
