(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let first () = raise Not_found
let second () = try first () with Not_found -> failwith "second"
let third () = try second () with Failure _ -> raise Exit
let fourth () = try third () with Exit as e -> raise_notrace e
let () = fourth ()
