module S = Set.Make (Int)
module SS = Set.Make (struct type t = string * int let compare = compare end)

let show s = S.iter (Printf.printf "%d ") s; print_newline ()

let () =
  let a = S.of_list [ 5; 3; 9; 1; 3 ] and b = S.of_list [ 4; 5; 6; 9 ] in
  List.iter show [ a; b; S.union a b; S.inter a b; S.diff a b; S.add 7 a; S.remove 3 a;
      S.singleton 2;
                   S.filter (fun x -> x > 3) a; S.map (fun x -> x / 2) a; S.empty;
                   S.filter_map (fun x -> if x > 4 then Some (x * 10) else None) a;
                   S.add_seq (List.to_seq [ 0; 100 ]) a; S.of_seq (S.to_seq_from 4 b) ];
  Printf.printf "%d %b %b %b\n" (S.cardinal a) (S.mem 9 a) (S.subset (S.singleton 9) a)
      (S.disjoint a b);
  Printf.printf "%d %d %d\n" (S.min_elt a) (S.max_elt a) (S.choose a);
  Printf.printf "%b %b %b %b\n" (S.min_elt_opt S.empty = None) (S.find_opt 2 a = None)
      (S.is_empty a)
    (S.choose_opt S.empty = None);
  let x, y = S.partition (fun x -> x land 1 = 1) b in show x; show y;
  let l, found, r = S.split 5 (S.union a b) in show l; Printf.printf "%b " found; show r;
  Printf.printf "%d %d %b\n" (S.compare a b) (S.fold ( + ) a 0) (S.equal a (S.of_list [ 1; 3; 5;
      9 ]));
  Printf.printf "%b %b %d %d\n" (S.for_all (( < ) 0) a) (S.exists (( = ) 4) a)
    (S.find_first (fun x -> x > 3) a) (S.find_last (fun x -> x < 9) a);
  Seq.iter (Printf.printf "%d ") (S.to_rev_seq a);
  print_endline (String.concat "," (List.map string_of_int (S.elements b)));
  (try ignore (S.min_elt S.empty) with Not_found -> print_endline "Not_found");
  Printf.printf "%b\n" (S.add 5 a == a);
  let s = SS.of_list [ ("b", 2); ("a", 3); ("b", 1); ("a", 3) ] in
  SS.iter (fun (k, n) -> Printf.printf "%s%d " k n) s;
  let big = S.of_list (List.init 3000 (fun i -> i * 7919 mod 3001)) in
  Printf.printf "%d %d\n" (S.cardinal big) (S.cardinal (S.diff big (S.map (fun x -> x * 2) big)))
