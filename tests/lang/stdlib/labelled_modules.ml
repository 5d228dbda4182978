open StdLabels
module M = MoreLabels.Map.Make (String)
module S = MoreLabels.Set.Make (Int)

let () =
  let a = Array.init 5 ~f:(fun i -> i * i) in
  Array.iteri a ~f:(fun i x -> Printf.printf "%d=%d " i x);
  Array.sort a ~cmp:(fun x y -> compare y x);
  print_endline (String.concat ~sep:"," (Array.to_list (Array.map a ~f:string_of_int)));
  Printf.printf "%d\n" (List.fold_left [ 1; 2; 3 ] ~init:10 ~f:( - ));
  Printf.printf "%b %b\n" (List.mem 3 ~set:[ 1; 2; 3 ]) (List.for_all ~f:(fun x -> x < 3) [ 1; 2 ]);
  List.iter2 [ 1; 2 ] [ "a"; "b" ] ~f:(fun n s -> Printf.printf "%d%s " n s);
  print_endline (String.map "abc" ~f:Char.uppercase_ascii);
  print_endline (String.sub "labelled" ~pos:2 ~len:4);
  print_endline (Bytes.to_string (Bytes.map (Bytes.of_string "xyz") ~f:(fun c -> Char.chr
      (Char.code c - 1))));
  let m = M.add ~key:"k" ~data:1 (M.add ~key:"j" ~data:2 M.empty) in
  M.iter m ~f:(fun ~key ~data -> Printf.printf "%s:%d " key data);
  Printf.printf "%d\n" (M.fold m ~init:0 ~f:(fun ~key:_ ~data acc -> acc + data));
  let s = S.of_list [ 3; 1; 2 ] in
  S.iter s ~f:(Printf.printf "%d ");
  Printf.printf "%d\n" (S.cardinal (S.filter s ~f:(fun x -> x > 1)));
  let h = MoreLabels.Hashtbl.create 4 in
  MoreLabels.Hashtbl.add h ~key:1 ~data:"one";
  MoreLabels.Hashtbl.iter h ~f:(fun ~key ~data -> Printf.printf "%d %s\n" key data);
  Printf.printf "%d\n" (ArrayLabels.fold_right ~f:( + ) a ~init:0);
  print_endline (ListLabels.assoc 2 [ (1, "x"); (2, "y") ] |> StringLabels.uppercase_ascii);
  print_endline (BytesLabels.sub_string (Bytes.of_string "hello") ~pos:1 ~len:3)
