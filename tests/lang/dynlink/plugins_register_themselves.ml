(* libs: dynlink.cma *)
(* with: plug_registry.ml *)
(* beside: plug_one.ml plug_two.ml plug_bad.ml *)
let load name =
  match Dynlink.loadfile name with
  | () -> Printf.printf "%s loaded\n" name
  | exception Dynlink.Error (Dynlink.Cannot_open_dynamic_library _) -> Printf.printf
      "%s cannot be opened\n" name
  | exception Dynlink.Error e -> Printf.printf "%s: %s\n" name (Dynlink.error_message e)

let () =
  Printf.printf "%b\n" Dynlink.is_native;
  Dynlink.allow_unsafe_modules true;
  List.iter load [ "plug_one.cmo"; "plug_two.cmo"; "none.cmo"; "plug_bad.cmo"; "plug_one.cmo" ];
  Hashtbl.fold (fun k f acc -> (k, f 20) :: acc) Plug_registry.table [] |> List.sort compare
  |> List.iter (fun (k, n) -> Printf.printf "%s %d\n" k n);
  print_endline (String.concat " " (List.filter (fun s -> String.length s > 4 && String.sub s 0 4
      = "Plug")
                                      (Dynlink.all_units ())))
