(* ocaml5: no: has no policies *)
(* stress: no: counts cycles *)
(* Gc.set of another policy, valid or not, is two cycles and a compaction; finalisers run at its end,
   when the next cycle has begun. The first compaction may be followed by another one. *)
let counts () =
  let s = Gc.quick_stat () in
  s.compactions, s.major_collections, s.minor_collections, s.forced_major_collections

let set policy = Gc.set { (Gc.get ()) with allocation_policy = policy }

let step name f =
  let compactions, majors, minors, forced = counts () in
  f ();
  let compactions', majors', minors', forced' = counts () in
  Printf.printf "%s: %d compactions, %d majors, %d minors, %d forced\n" name
    (compactions' - compactions) (majors' - majors) (minors' - minors) (forced' - forced)

let () =
  set 1;
  List.iter
    (fun n -> step (Printf.sprintf "policy %d" n) (fun () -> set n))
    [ 1; 0; 0; 2; 5; 2; 2; -1; 1; -1; 7; 0 ];
  Gc.set { (Gc.get ()) with verbose = 0x20 };
  List.iter set [ 1; 9; -1 ];
  Gc.set { (Gc.get ()) with verbose = 0; allocation_policy = 1 };
  let weak = Weak.create 1 in
  let fill () =
    let v = ref 1 in
    Weak.set weak 0 (Some v);
    Gc.finalise (fun _ -> print_endline "finaliser") v
  in
  fill ();
  for i = 0 to 4 do
    set (i mod 3);
    Printf.printf "%b\n" (Weak.check weak 0)
  done
