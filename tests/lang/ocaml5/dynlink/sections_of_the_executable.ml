(* flags: -g *)
external sections : unit -> Obj.t * (string * Digest.t option) list * string list * string list
  = "caml_dynlink_get_bytecode_sections"
let () =
  let symbols, crcs, primitives, folders = sections () in
  Printf.printf "%d %d\n" (Obj.tag symbols) (Obj.size symbols);
  List.iter (fun (name, digest) -> Printf.printf "%s %s\n" name (Option.fold ~none:"-" ~some:Digest.to_hex digest)) crcs;
  List.iter print_endline primitives;
  Printf.printf "%b\n" (folders <> [])
