let () =
  let old = Array.make 100 [] in
  Gc.full_major ();
  for round = 0 to 20 do
    Array.fill old (round * 4) 4 [ string_of_int round; String.make 3 'k' ];
    let young = Array.init 10 (fun i -> [ string_of_int (round + i) ]) in
    Array.blit young 0 old (90 - (round * 2)) 10;
    Array.blit old 0 old 10 50;
    Gc.minor ()
  done;
  Gc.full_major ();
  Array.iter (fun l -> print_string (String.concat "," l ^ ";")) old;
  print_newline ();
  let doubled = Array.concat [ old; old; Array.sub old 5 5 ] in
  Printf.printf "%d\n" (Array.fold_left (fun n l -> n + List.length l) 0 (Array.append doubled old))
