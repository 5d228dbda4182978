(* flags: -g *)
(* env: OCAMLRUNPARAM=b CAML_DEBUG_FILE=/nowhere/x.cds *)
let f () = failwith "f"
let () = try f () with Failure _ -> print_string (Printexc.get_backtrace ())
let () = f ()
