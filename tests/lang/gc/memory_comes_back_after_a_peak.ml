let () =
  let peak = ref (Array.init 100 (fun i -> Bytes.make 100_000 (Char.chr (i land 127)))) in
  let high = (Gc.quick_stat ()).Gc.heap_words in
  Printf.printf "%d\n" (Array.fold_left (fun n b -> n + Bytes.length b) 0 !peak);
  peak := [||];
  Gc.compact ();
  let low = (Gc.quick_stat ()).Gc.heap_words in
  Printf.printf "%b %b\n" (low < high) ((Gc.stat ()).live_words < high)
