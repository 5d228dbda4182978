(* stress: no: counts promotions and deaths *)
(* stop ends sampling; promotions and deaths of the blocks sampled before are reported until discard. *)
open Gc.Memprof
let () =
  let events = ref [] in
  let note s = events := s :: !events in
  let tracker = { alloc_minor = (fun i -> if i.size = 7 then (note (Printf.sprintf "alloc_minor %d %b" i.n_samples (i.source = Normal)); Some "m") else None);
                  alloc_major = (fun i -> if i.size = 3000 then (note (Printf.sprintf "alloc_major %d" i.n_samples); Some "M") else None);
                  promote = (fun s -> note ("promote " ^ s); Some (s ^ "p"));
                  dealloc_minor = (fun s -> note ("dealloc_minor " ^ s)); dealloc_major = (fun s -> note ("dealloc_major " ^ s)) } in
  let show name = Printf.printf "%s: %s\n" name (String.concat "; " (List.rev !events)); events := [] in
  let p = start ~sampling_rate:1. tracker in
  let a = ref (Some (Array.make 7 0)) and b = ref (Some (Array.make 7 1)) and c = ref (Some (Array.make 3000 2)) in
  show "allocated";
  stop ();
  Gc.minor (); show "minor";
  a := None; c := None;
  Gc.full_major (); Gc.full_major (); show "full";
  ignore (Sys.opaque_identity !b);
  b := None;
  discard p;
  Gc.full_major (); show "discarded";
  ignore (Sys.opaque_identity (a, b, c))
