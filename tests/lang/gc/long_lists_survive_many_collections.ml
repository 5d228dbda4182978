let () =
  let state = ref 1 in
  let next () = state := (!state * 48271) mod 0x7FFFFFFF; !state in
  let live = Array.make 500 [] in
  for i = 1 to 15_000 do
    let slot = next () mod 500 in
    let l = live.(slot) in
    live.(slot) <- (if List.length l > 20 then [ string_of_int i ] else string_of_int i :: l);
    if i mod 4_000 = 0 then Gc.compact ()
  done;
  let h = Array.fold_left (fun h l -> List.fold_left (fun h s -> ((h * 31) + int_of_string s)
      land 0xFFFFFFF) h l) 7 live in
  Printf.printf "%d\n" h
