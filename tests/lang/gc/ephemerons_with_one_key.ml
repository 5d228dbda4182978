(* ocaml5: no: its ephemerons are immutable *)
module E = Ephemeron.K1

let alive = function None -> "dead" | Some _ -> "alive"

let () =
  let e = E.create () in
  let key = ref 1 in
  E.set_key e key;
  E.set_data e (Bytes.of_string "data");
  Gc.full_major ();
  Printf.printf "%s %s %b %b\n" (alive (E.get_key e)) (alive (E.get_data e)) (E.check_key e)
      (E.check_data e);
  ignore (Sys.opaque_identity key);
  E.set_key e (ref 2);
  Gc.full_major ();
  Printf.printf "%s %s\n" (alive (E.get_key e)) (alive (E.get_data e));
  let k2 = ref 3 in
  E.set_key e k2;
  E.set_data e (Bytes.of_string (String.make 3 'z'));
  let f = E.create () in
  E.blit_key e f;
  E.blit_data e f;
  Printf.printf "%b %s\n" (E.get_key f = Some k2)
    (match E.get_data_copy f with Some b -> Bytes.to_string b | None -> "none");
  (match E.get_key_copy f with Some k -> Printf.printf "%d %b\n" !k (k == k2) | None ->
      print_endline "none");
  E.unset_key f;
  E.unset_data e;
  Printf.printf "%b %b %b\n" (E.check_key f) (E.check_data f) (E.check_data e);
  (* Data that refers to its own key does not keep it alive. *)
  let g = E.create () in
  let make () = let k = ref 5 in E.set_key g k; E.set_data g (Obj.magic k) in
  make ();
  Gc.full_major ();
  Printf.printf "%s %d\n" (alive (E.get_key g)) !k2
