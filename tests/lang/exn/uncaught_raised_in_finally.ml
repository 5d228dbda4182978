(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
let () = Fun.protect ~finally:(fun () -> failwith "finally") (fun () -> print_endline "work")
