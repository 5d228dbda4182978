(* ocaml5: no: it adds (inlined), from uninitialised memory, to unknown locations *)
(* env: OCAMLRUNPARAM=b *)
let rec f n = if n = 0 then failwith "deep" else 1 + f (n - 1)
let () = print_int (f 3)
