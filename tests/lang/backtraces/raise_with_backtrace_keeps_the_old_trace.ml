(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let origin n = if n > 0 then invalid_arg "origin" else n

let wrap n =
  try origin n + 1 with
  | Invalid_argument s ->
    let bt = Printexc.get_raw_backtrace () in
    (try ignore (List.find (fun _ -> false) [ 1 ]) with Not_found -> ());
    Printexc.raise_with_backtrace (Failure s) bt

let () = print_int (1 + wrap 5)
