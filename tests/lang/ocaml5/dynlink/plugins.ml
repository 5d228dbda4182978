(* flags: -I +dynlink *)
(* libs: dynlink.cma *)
(* beside: plugins_one.ml plugins_two.ml *)
(* Without the folder, which differs from run to run. *)
let base s =
  match (String.index_opt s '/', String.rindex_opt s '/') with
  | Some first, Some last ->
      String.sub s 0 first ^ String.sub s (last + 1) (String.length s - last - 1)
  | _ -> s

let say fmt = Printf.printf (fmt ^^ "\n%!")
let load f = match Dynlink.loadfile f with () -> say "loaded %s" f | exception Dynlink.Error e -> say "error: %s" (base (Dynlink.error_message e))
let () =
  say "%b %s" Dynlink.is_native (Dynlink.adapt_filename "x.cmo");
  load "plugins_one.cmo"; load "plugins_one.cmo"; load "plugins_two.cmo"; load "none.cmo";
  say "%b" (List.mem "Plugins_one" (Dynlink.public_dynamically_loaded_units ())); say "%b" (List.mem "Stdlib" (Dynlink.main_program_units ())); say "%s" (String.concat " " (List.filter (fun s -> String.starts_with ~prefix:"Plugins" s) (Dynlink.all_units ())));
  Out_channel.with_open_bin "bad.cmo" (fun oc -> output_string oc "not an object"); load "bad.cmo";
  Dynlink.set_allowed_units ["Stdlib"]; load "plugins_two.cmo"; Dynlink.allow_unsafe_modules false;
  say "%d" (Domain.join (Domain.spawn (fun () -> List.length (Dynlink.public_dynamically_loaded_units ()))))
