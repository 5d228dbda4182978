let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let h = Hashtbl.create ~random:false 10 in
  for i = 1 to 1000 do Hashtbl.replace h (Printf.sprintf "key%d" (i * i)) i done;
  let b = Buffer.create 100 in Hashtbl.iter (fun k v -> if v mod 100 = 0 then Buffer.add_string b (k ^ " ")) h; say "%s" (Buffer.contents b);
  let s = Hashtbl.stats h in say "%d %d %d" s.num_bindings s.num_buckets s.max_bucket_length;
  say "%s" (String.concat " " (List.of_seq (Seq.take 5 (Hashtbl.to_seq_keys h)))); Hashtbl.filter_map_inplace (fun _ v -> if v land 1 = 0 then Some (v * 2) else None) h; say "%d" (Hashtbl.length h);
  let module H = Hashtbl.MakeSeeded (struct type t = int let equal = Int.equal let seeded_hash = Hashtbl.seeded_hash end) in let t = H.create 3 in for i = 1 to 20 do H.add t i (string_of_int i) done; say "%s" (H.find t 13);
  let r = Hashtbl.create ~random:true 10 in Hashtbl.add r 1 2; say "%d" (Hashtbl.find r 1); Hashtbl.reset r; let c = Hashtbl.copy h in Hashtbl.clear h; say "%d %d" (Hashtbl.length c) (Hashtbl.length h);
  (match Hashtbl.iter (fun k v -> Hashtbl.replace c (k ^ "x") v) (Hashtbl.copy c) with () -> say "%d" (Hashtbl.length c)); say "%s" (Option.value ~default:"none" (Option.map string_of_int (Hashtbl.find_opt c "key4")))
