(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let rec f n = if n = 0 then raise Not_found else 1 + f (n - 1)
let () =
  try ignore (f 5000) with Not_found ->
    Printf.printf "%d\n" (Printexc.raw_backtrace_length (Printexc.get_raw_backtrace ()))
