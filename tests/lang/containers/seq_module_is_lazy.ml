let () =
  let forced = ref 0 in
  let rec from n () = incr forced; Seq.Cons (n, from (n + 1)) in
  let rec take n s () =
    if n = 0 then Seq.Nil else match s () with Seq.Nil -> Seq.Nil | Cons (x, r) -> Cons (x,
        take (n - 1) r)
  in
  let s = Seq.filter (fun x -> x mod 3 = 0) (Seq.map (fun x -> x * 2) (from 1)) in
  Printf.printf "%d\n" !forced;
  Seq.iter (Printf.printf "%d ") (take 4 s);
  Printf.printf "%d\n" !forced;
  Printf.printf "%d\n" (Seq.fold_left ( + ) 0 (Seq.flat_map (fun x -> List.to_seq [ x;
      x ]) (take 3 (from 1))));
  Seq.iter (Printf.printf "%d ") (Seq.append (Seq.return 1) (Seq.cons 2 Seq.empty));
  Seq.iter (Printf.printf "%d ") (Seq.filter_map (fun x -> if x > 2 then Some (x * x) else None)
      (take 5 (from 0)));
  Seq.iter (Printf.printf "%d ") (Seq.unfold (fun x -> if x > 50 then None else Some (x, x * 2)) 1);
  Seq.iter (Printf.printf "%d ") (Seq.concat (List.to_seq [ Seq.return 7; Seq.empty;
      Seq.return 8 ]));
  Seq.iter (Printf.printf "%d ") (Seq.concat_map (fun x -> Seq.return (x + 1)) (Seq.return 1));
  Printf.printf "%s\n" (String.of_seq (Seq.map Char.chr (take 5 (from 65))))
