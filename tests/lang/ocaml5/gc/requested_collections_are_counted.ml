(* stress: no: counts collections *)
(* A minor collection counts even if nothing is young, and each requested cycle begins and ends with one. *)
open Gc
let counts () = let s = quick_stat () in s.minor_collections, s.major_collections, s.forced_major_collections
let show name f =
  let minor, major, forced = counts () in
  f ();
  let minor', major', forced' = counts () in
  Printf.printf "%s: %d minor, %d major, %d forced\n%!" name (minor' - minor) (major' - major) (forced' - forced)
let kept = ref []
let () =
  show "the first slice ends the first cycle" (fun () -> ignore (major_slice 0));
  show "slices without work" (fun () -> for _ = 1 to 5 do ignore (major_slice 0) done);
  show "cycles as slices" (fun () -> for _ = 1 to 5 do ignore (major_slice 10_000_000) done);
  for _ = 1 to 2 do
    show "minor" minor;
    show "three times minor" (fun () -> minor (); minor (); minor ());
    show "major" major;
    show "full_major" full_major;
    show "compact" compact;
    show "stat" (fun () -> ignore (stat ()));
    kept := List.init 1000 string_of_int
  done
