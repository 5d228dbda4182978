(* ocaml5: no: it has no Gc.get_bucket *)
(* Gc.counters, minor_words, allocated_bytes, stat and quick_stat agree with each other. *)
let () =
  let open Gc in
  let a = quick_stat () in
  let l = ref [] in
  for i = 1 to 100_000 do l := i :: !l done;
  let b = quick_stat () in
  let words = b.minor_words -. a.minor_words +. b.major_words -. a.major_words
              -. (b.promoted_words -. a.promoted_words) in
  Printf.printf "%b\n" (words >= 300_000. && words < 300_500.);
  minor ();
  let c = quick_stat () in
  Printf.printf "%b %b\n" (c.minor_collections > a.minor_collections) (c.promoted_words >= 300_000.);
  Printf.printf "%b\n" (c.minor_words <= minor_words ());
  let m, p, j = counters () in
  Printf.printf "%b\n" ((m +. j -. p) *. 8. <= allocated_bytes ());
  let before = allocated_bytes () in
  ignore (Sys.opaque_identity (Bytes.create 80_000));
  let after = allocated_bytes () in
  Printf.printf "%b\n" (after -. before >= 80_000. && after -. before < 81_000.);
  full_major ();
  let s = stat () in
  Printf.printf "%b\n" (s.live_words >= 300_000 && s.live_blocks >= 100_000);
  Printf.printf "%b\n" (s.live_words + s.free_words + s.fragments = s.heap_words);
  Printf.printf "%b\n" (s.heap_words <= s.top_heap_words && s.heap_chunks > 0);
  Printf.printf "%b\n" (s.free_blocks > 0 && s.largest_free > 0 && s.largest_free <= s.free_words);
  l := [];
  let compactions = s.compactions and forced = s.forced_major_collections in
  compact ();
  let t = stat () in
  Printf.printf "%d %d\n" (t.compactions - compactions) (t.forced_major_collections - forced);
  Printf.printf "%b\n" (t.live_words < s.live_words - 300_000 + 1000);
  let q = quick_stat () in
  Printf.printf "%d %d %d %d %d %d\n" q.live_words q.live_blocks q.free_words q.free_blocks q.largest_free q.fragments;
  Printf.printf "%b %b\n" (q.stack_size > 0) (get_minor_free () > 0);
  Printf.printf "%d %d %d\n" (get_bucket 60) (Gc.huge_fallback_count ()) (major_slice 0);
  (match get_bucket (-1) with _ -> () | exception Invalid_argument m -> print_endline m);
  eventlog_pause ();
  eventlog_resume ()
