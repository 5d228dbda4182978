(* stress: no: counts collections *)
(* The counters move as the collections that the program asks for. *)
open Gc
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let a = quick_stat () in
  say "%d %d %d %d" a.largest_free a.stack_size a.free_blocks a.compactions;
  minor (); let b = quick_stat () in say "minor %b" (b.minor_collections > a.minor_collections);
  full_major (); let c = quick_stat () in say "full_major +%d cycles" (c.major_collections - b.major_collections);
  say "forced +%d" (c.forced_major_collections - b.forced_major_collections);
  major (); let d = quick_stat () in say "major +%d cycles forced +%d" (d.major_collections - c.major_collections) (d.forced_major_collections - c.forced_major_collections);
  compact (); let e = quick_stat () in say "compact +%d +%d" (e.compactions - d.compactions) (e.forced_major_collections - d.forced_major_collections);
  say "slice %d %d" (major_slice 0) (major_slice 1000);
  let s = stat () in
  say "%b %b %b" (s.live_words > 0) (s.live_blocks > 0) (s.heap_words >= s.live_words);
  say "%d %d %d" s.largest_free s.stack_size s.heap_chunks;
  let w = minor_words () in let l = Sys.opaque_identity (List.init 100 Fun.id) in
  say "%b" (minor_words () -. w >= float (3 * List.length l));
  let _, p, m = counters () in say "%b" (p >= 0. && m >= p);
  say "%b" (allocated_bytes () > 0.);
  let alarms = ref 0 in
  let al = create_alarm (fun () -> incr alarms) in
  full_major (); say "alarm %b" (!alarms >= 1);
  delete_alarm al; let n = !alarms in full_major (); say "deleted %b" (!alarms = n)
