(* ocaml5: no: it has no Gc.get_bucket *)
let () =
  let minor0, promoted0, major0 = Gc.counters () in
  let before = Gc.minor_words () and q0 = Gc.quick_stat () in
  let l = ref [] in
  for i = 1 to 10_000 do l := i :: !l done;
  let words = Gc.minor_words () -. before in
  Printf.printf "%b\n" (words >= 30_000. && words < 31_000.);
  let big = Array.make 5_000 0 in
  Gc.minor ();
  let minor1, promoted1, major1 = Gc.counters () in
  Printf.printf "%b %b %b\n" (minor1 -. minor0 >= 30_000.) (promoted1 -. promoted0 >= 30_000.)
    (major1 -. major0 >= 35_000.);
  let q1 = Gc.quick_stat () in
  Printf.printf "%b\n" (q1.Gc.minor_collections > q0.Gc.minor_collections);
  let b0 = Gc.allocated_bytes () in
  ignore (Sys.opaque_identity (Bytes.create 800));
  Printf.printf "%b\n" (Gc.allocated_bytes () -. b0 >= 800.);
  Gc.compact ();
  Gc.full_major ();
  let s = Gc.stat () in
  Printf.printf "%b %b %b\n" (s.live_words > 35_000) (s.heap_words >= s.live_words)
      (s.live_blocks > 10_000);
  Printf.printf "%b %b\n" (s.major_collections > 0) (s.top_heap_words >= s.heap_words);
  ignore (Gc.major_slice 0);
  Gc.major ();
  Printf.printf "%b %d %d\n" (Gc.get_minor_free () > 0) (List.length !l) (Array.length big);
  ignore (Gc.get_bucket 0); ignore (Gc.get_credit ()); ignore (Gc.huge_fallback_count ());
  let tmp = open_out "stat" in
  Gc.print_stat tmp;
  close_out tmp;
  let ic = open_in "stat" in
  let rec names acc = match input_line ic with
    | s -> names (String.sub s 0 (String.index s ':') :: acc) | exception _ -> List.rev acc in
  print_endline (String.concat "|" (names []))
