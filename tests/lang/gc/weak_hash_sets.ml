module W = Weak.Make (struct
    type t = string ref
    let equal a b = !a = !b
    let hash a = Hashtbl.hash !a
  end)

let () =
  let w = W.create 10 in
  let keep = List.init 20 (fun i -> ref (string_of_int i)) in
  List.iter (W.add w) keep;
  for i = 100 to 299 do W.add w (ref (string_of_int i)) done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "%d\n" (W.count w);
  Printf.printf "%b %b\n" (W.mem w (ref "7")) (W.mem w (ref "150"));
  let merged = W.merge w (ref "3") in
  Printf.printf "%b\n" (merged == List.nth keep 3);
  Printf.printf "%d\n" (W.fold (fun r n -> n + int_of_string !r) w 0);
  W.remove w (ref "5");
  Printf.printf "%b %b %d\n" (W.find_opt w (ref "5") = None) (W.find w (ref "6") == List.nth keep 6)
    (List.length (W.find_all w (ref "6")));
  let n, entries, _, _, _, _ = W.stats w in
  Printf.printf "%b %d\n" (n > 0) entries;
  W.clear w;
  Printf.printf "%d %d\n" (W.count w) (List.length (Sys.opaque_identity keep))
