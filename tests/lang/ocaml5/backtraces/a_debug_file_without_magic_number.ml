(* env: OCAMLRUNPARAM=b CAML_DEBUG_FILE=/etc/passwd *)
(* flags: -g *)
external status : unit -> int = "caml_ml_debug_info_status"

let () =
  (try failwith "boom" with Failure _ -> ignore (Printexc.get_backtrace ()));
  Printf.printf "status %d\n" (status ())
