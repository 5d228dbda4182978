let show h =
  Hashtbl.iter (fun k v -> Printf.printf "%s=%d " k v) h;
  print_newline ()

let () =
  let h = Hashtbl.create 8 in
  List.iteri (fun i k -> Hashtbl.add h k i)
    [ "one"; "two"; "three"; "four"; "five"; "six"; "seven"; "one"; "two"; "one" ];
  show h;
  Printf.printf "%d %d %b %b\n" (Hashtbl.length h) (Hashtbl.find h "one") (Hashtbl.mem h "zero")
    (Hashtbl.find_opt h "zero" = None);
  List.iter (Printf.printf "%d ") (Hashtbl.find_all h "one");
  Hashtbl.remove h "one"; Hashtbl.remove h "nothing"; Hashtbl.replace h "two" 22; show h;
  Hashtbl.filter_map_inplace (fun k v -> if v mod 2 = 0 then Some (v * String.length k) else
      None) h;
  show h;
  let c = Hashtbl.copy h in
  Hashtbl.clear h; Hashtbl.reset h;
  Printf.printf "%d %d\n" (Hashtbl.length h) (Hashtbl.fold (fun _ v acc -> v + acc) c 0);
  for i = 1 to 1000 do Hashtbl.replace h (string_of_int i) i done;
  let digest = Hashtbl.fold (fun k v acc -> Digest.to_hex (Digest.string (acc ^ k ^ string_of_int
      v))) h "" in
  print_endline digest;
  let s = Hashtbl.stats h in
  Printf.printf "%d %d %d %d\n" s.Hashtbl.num_bindings s.num_buckets s.max_bucket_length
    (Array.length s.bucket_histogram);
  (try ignore (Hashtbl.find h "x") with Not_found -> print_endline "Not_found");
  let t = Hashtbl.of_seq (List.to_seq [ (1, 'a'); (2, 'b'); (1, 'c') ]) in
  Hashtbl.add_seq t (List.to_seq [ (3, 'd') ]);
  Hashtbl.replace_seq t (List.to_seq [ (3, 'e') ]);
  Seq.iter (fun (k, v) -> Printf.printf "%d%c " k v) (Hashtbl.to_seq t);
  Seq.iter (Printf.printf "%d ") (Hashtbl.to_seq_keys t);
  Seq.iter (Printf.printf "%c ") (Hashtbl.to_seq_values t);
  Printf.printf "%b %b\n" (Hashtbl.is_randomized ()) (Hashtbl.length (Hashtbl.rebuild t) = 3)
