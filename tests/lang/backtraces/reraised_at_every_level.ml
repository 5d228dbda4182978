(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
exception E of string

let cleanup = ref 0

let rec level n =
  if n = 0 then raise (E "bottom")
  else
    try level (n - 1) with
    | E s as e -> incr cleanup; raise e
    | Not_found -> ()

let () =
  Fun.protect ~finally:(fun () -> Printf.printf "%d\n" !cleanup) (fun () -> level 4)
