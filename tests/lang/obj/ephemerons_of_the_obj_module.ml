let () =
  let open Obj.Ephemeron in
  let e = create 3 in
  Printf.printf "%d %d\n" (length e) max_ephe_length;
  let k = Obj.repr (ref 1) in
  set_key e 0 k; set_key e 2 k; set_data e (Obj.repr "d");
  Printf.printf "%b %b %b %b\n" (check_key e 0) (check_key e 1) (check_key e 2) (check_data e);
  let f = create 3 in
  blit_key e 0 f 0 2; blit_data e f;
  Printf.printf "%b %b %b\n" (get_key f 0 = Some k) (get_key f 1 = None) (get_data f = Some
      (Obj.repr "d"));
  unset_key f 0; unset_data f;
  Printf.printf "%b %b\n" (check_key f 0) (check_data f);
  (match get_key_copy e 0 with Some c -> Printf.printf "%b %b\n" (c == k) (c = k) | None -> ());
  (match get_data_copy e with Some c -> Printf.printf "%s\n" (Obj.obj c) | None -> ());
  (try ignore (create (-1)) with Invalid_argument s -> print_endline s);
  (try ignore (get_key e 5) with Invalid_argument s -> print_endline s);
  ignore (Sys.opaque_identity k)
