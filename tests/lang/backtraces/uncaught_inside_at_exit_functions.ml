(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let later () = print_endline "at exit"; raise Not_found
let () = at_exit later
let () = if Array.length Sys.argv > 0 then failwith "main"
