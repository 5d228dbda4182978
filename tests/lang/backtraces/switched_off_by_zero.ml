(* flags: -g *)
(* env: OCAMLRUNPARAM=b=0 *)
let () = Printf.printf "%b\n" (Printexc.backtrace_status ()); failwith "x"
