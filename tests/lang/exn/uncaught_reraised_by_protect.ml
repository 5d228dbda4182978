(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
let work () = failwith "work"
let () = Fun.protect ~finally:(fun () -> print_endline "finally") work
