let () =
  let state = ref 12345 in
  let next () = state := (!state * 1103515245 + 12345) land 0x3FFFFFFF; !state in
  let l = List.init 1200 (fun i -> (next () mod 100, i)) in
  let key (a, _) (b, _) = compare a b in
  let sorted = List.stable_sort key l in
  let rec stable = function
    | (a, i) :: ((b, j) :: _ as rest) -> (a < b || (a = b && i < j)) && stable rest
    | _ -> true
  in
  Printf.printf "%b %d\n" (stable sorted) (Hashtbl.hash_param 500 500 sorted);
  let u = List.sort_uniq key l in
  Printf.printf "%d %b\n" (List.length u) (List.sort compare l = List.stable_sort compare l);
  let a = Array.of_list l in
  Array.stable_sort key a;
  Printf.printf "%b\n" (Array.to_list a = sorted);
  Array.sort (fun a b -> compare b a) a;
  Printf.printf "%b\n" (Array.to_list a = List.rev (List.sort compare l))
