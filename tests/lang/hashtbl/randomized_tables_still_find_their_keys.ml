(* env: OCAMLRUNPARAM=R *)
let () =
  Printf.printf "%b\n" (Hashtbl.is_randomized ());
  let h = Hashtbl.create 5 in
  for i = 1 to 500 do Hashtbl.add h (string_of_int i) i done;
  let ok = ref true in
  for i = 1 to 500 do if Hashtbl.find h (string_of_int i) <> i then ok := false done;
  Printf.printf "%b %d\n" !ok (Hashtbl.length h);
  let sum = Hashtbl.fold (fun _ v acc -> v + acc) h 0 in
  Printf.printf "%d\n" sum;
  Hashtbl.randomize ();
  Printf.printf "%b\n" (Hashtbl.is_randomized ())
