module M = Map.Make (Int)
module SM = Map.Make (String)

let show m =
  M.iter (fun k v -> Printf.printf "%d:%s " k v) m;
  print_newline ()

let () =
  let m = List.fold_left (fun m k -> M.add k (string_of_int k) m) M.empty [ 5; 1; 9; 3; 7; 2; 8 ] in
  show m;
  Printf.printf "%d %b %b %s\n" (M.cardinal m) (M.mem 3 m) (M.is_empty M.empty) (M.find 9 m);
  show (M.remove 5 m); show (M.remove 50 m); show (M.singleton 1 "x");
  show (M.update 3 (function None -> Some "new" | Some s -> Some (s ^ "!")) m);
  show (M.update 3 (fun _ -> None) m); show (M.update 4 (fun _ -> Some "four") m);
  show (M.map String.uppercase_ascii m); show (M.mapi (fun k v -> v ^ string_of_int (k * k)) m);
  show (M.filter (fun k _ -> k > 4) m);
  show (M.filter_map (fun k v -> if k land 1 = 1 then Some (v ^ v) else None) m);
  let a, b = M.partition (fun k _ -> k < 5) m in show a; show b;
  let l, x, r = M.split 5 m in show l; Printf.printf "%b " (x = Some "5"); show r;
  show (M.union (fun _ a b -> Some (a ^ b)) a m);
  show (M.merge (fun k a b -> match a, b with Some x, None -> Some x | None,
      Some y -> Some (y ^ "b")
                                            | _ -> if k > 2 then Some "both" else None) a m);
  Printf.printf "%b %b %d\n" (M.for_all (fun k _ -> k > 0) m) (M.exists (fun k _ -> k > 9) m)
    (M.fold (fun k _ acc -> acc + k) m 0);
  let k, v = M.min_binding m and k', v' = M.max_binding m in
  Printf.printf "%d%s %d%s %d\n" k v k' v' (fst (M.choose m));
  Printf.printf "%b %b %b\n" (M.min_binding_opt M.empty = None) (M.find_opt 77 m = None)
    (M.choose_opt M.empty = None);
  Printf.printf "%d %b\n" (fst (M.find_first (fun k -> k >= 4) m)) (M.find_first_opt (fun k -> k
      > 9) m = None);
  Printf.printf "%d %b\n" (fst (M.find_last (fun k -> k <= 4) m)) (M.find_last_opt (fun k -> k <
      0) m = None);
  Printf.printf "%d %b\n" (M.compare String.compare a b) (M.equal ( = ) m m);
  Printf.printf "%d\n" (List.length (M.bindings m));
  show (M.of_seq (Seq.map (fun (k, v) -> (-k, v)) (M.to_seq m)));
  Seq.iter (fun (k, _) -> Printf.printf "%d " k) (M.to_rev_seq m);
  Seq.iter (fun (k, _) -> Printf.printf "%d " k) (M.to_seq_from 4 m);
  show (M.add_seq (List.to_seq [ (100, "h") ]) m);
  (try ignore (M.find 1000 m) with Not_found -> print_endline "Not_found");
  Printf.printf "%b\n" (M.add 5 (M.find 5 m) m == m);
  let big = ref SM.empty in
  for i = 0 to 5000 do big := SM.add (string_of_int (i * 7919 mod 5003)) i !big done;
  for i = 0 to 2000 do big := SM.remove (string_of_int i) !big done;
  Printf.printf "%d %d\n" (SM.cardinal !big) (SM.fold (fun k v acc -> (acc * 31 + v +
      String.length k) land 0xFFFFFF) !big 0)
