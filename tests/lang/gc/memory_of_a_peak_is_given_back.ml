(* After a peak, collections return the heap to a size near what is alive. *)
let () =
  let peak = ref (List.init 300_000 (fun i -> Some (string_of_int i))) in
  Gc.full_major ();
  let high = (Gc.quick_stat ()).Gc.heap_words in
  Printf.printf "%b\n" (List.length !peak = 300_000);
  peak := [];
  Gc.compact ();
  let low = (Gc.quick_stat ()).Gc.heap_words in
  Printf.printf "%b %b\n" (low < high / 2) ((Gc.quick_stat ()).Gc.top_heap_words >= high)
