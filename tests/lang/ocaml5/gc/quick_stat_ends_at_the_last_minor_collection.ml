(* stress: no: counts collections *)
(* Gc.quick_stat shows what was allocated before the last minor collection, by all domains;
   Gc.counters, minor_words and allocated_bytes what the domain that asks has allocated until now. *)
let show name (words : float) = Printf.printf "%s %.0f\n" name words
let work n = ignore (Sys.opaque_identity (List.init n Fun.id))
let quick () = (Gc.quick_stat ()).minor_words
let large () = ignore (Sys.opaque_identity (Array.make 10_000 0))

let () =
  Gc.minor ();
  let before = quick () in
  let major_before = (Gc.quick_stat ()).major_words in
  let counted = Gc.minor_words () in
  work 1000;
  large ();
  show "quick_stat without a collection" (quick () -. before);
  show "its major words" ((Gc.quick_stat ()).major_words -. major_before);
  let _, promoted, major = Gc.counters () in
  Printf.printf "counters see the large block: %b\n" (major -. promoted >= 10_000.);
  Printf.printf "minor_words sees the list: %b\n" (Gc.minor_words () -. counted > 3000.);
  Gc.minor ();
  Printf.printf "after one: %b\n" (quick () -. before > 3000.);
  Printf.printf "stat after its collections: %b\n" ((Gc.stat ()).minor_words > before +. 3000.)

let own name =
  let minor, promoted, major = Gc.counters () in
  Printf.printf "%s: %b %b %b %b %b\n" name (minor < 5000.) (promoted < 5000.) (major < 5000.)
    (Gc.minor_words () < 5000.) (Gc.allocated_bytes () < 40_000.)

let () =
  work 10_000;
  large ();
  let before, _, major_before = Gc.counters () in
  let child () =
    own "a new domain has allocated little";
    work 10_000;
    large ();
    let minor, _, major = Gc.counters () in
    Printf.printf "what it allocates: %b %b\n" (minor > 30_000.) (major >= 10_000.);
    Domain.join (Domain.spawn (fun () -> own "its child"));
    let minor', _, major' = Gc.counters () in
    Printf.printf "without what its child did: %b %b\n" (minor' -. minor < 1000.)
      (major' -. major < 1000.)
  in
  Domain.join (Domain.spawn child);
  let after, _, major_after = Gc.counters () in
  Printf.printf "nor does the first domain count theirs: %b %b\n" (after -. before < 5000.)
    (major_after -. major_before < 10_000.)
