(* Fields of Gc.stat and Gc.quick_stat that are always 0, and their relations. *)
let p = Printf.printf
let show name (s : Gc.stat) =
  p "%s: chunks %d, free blocks %d, largest %d, stack %d\n" name s.heap_chunks s.free_blocks s.largest_free s.stack_size;
  p "  live %b heap %b top %b\n" (s.live_words > 0) (s.heap_words > 0) (s.top_heap_words >= s.heap_words)

let () =
  let kept = List.init 100000 (fun i -> ref i) in
  show "quick_stat" (Gc.quick_stat ());
  let s = Gc.stat () in
  show "stat" s;
  p "  sum %b, blocks %b\n" (s.live_words + s.free_words + s.fragments = s.heap_words) (s.live_blocks >= 200000);
  p "slice %d %d\n" (Gc.major_slice 0) (Gc.major_slice 100000);
  let before = (Gc.quick_stat ()).compactions in
  Gc.compact ();
  p "compactions %d\n" ((Gc.quick_stat ()).compactions - before);
  let minor, promoted, major = Gc.counters () in
  p "counters %b %b\n" (minor >= promoted) (major >= promoted);
  Gc.minor ();
  p "%d\n" (List.length kept)
