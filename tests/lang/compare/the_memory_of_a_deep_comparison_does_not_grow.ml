(* What a comparison keeps for later grows with the depth, whatever the collector does meanwhile. *)
let left n =
  let t = ref `Leaf in
  for i = 1 to n do t := `Node (!t, i) done;
  !t

let () =
  Printf.printf "%b\n" (left 150_000 = left 150_000);
  let bytes = 8 * (Gc.quick_stat ()).Gc.top_heap_words in
  print_endline (if bytes < 100_000_000 then "below 100 MB" else string_of_int bytes)
