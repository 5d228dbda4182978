(* stress: no: says what a minor collection leaves *)
(* In OCaml 5.0 to 5.3 only major collections empty weak arrays and ephemerons. *)
module Table = Ephemeron.K1.Make (struct type t = int ref let equal = ( == ) let hash r = !r end)
module Set = Weak.Make (struct type t = int ref let equal = ( = ) let hash r = !r end)
let fresh n = Sys.opaque_identity (ref n)
let () =
  let ended = ref 0 in
  let w = Weak.create 1 and e = Obj.Ephemeron.create 1 in
  let table = Table.create 8 and set = Set.create 8 in
  let finalised = fresh 2 in
  Gc.finalise_last (fun () -> incr ended) finalised;
  Weak.set w 0 (Some finalised);
  Obj.Ephemeron.set_key e 0 (Obj.repr (fresh 3));
  Obj.Ephemeron.set_data e (Obj.repr (fresh 4));
  for i = 0 to 9 do Table.add table (fresh i) i; Set.add set (fresh i) done;
  let show when_ =
    Printf.printf "%s: weak %b, key %b, data %b, table %d, set %d, finalised %d\n" when_ (Weak.check w 0)
      (Obj.Ephemeron.check_key e 0) (Obj.Ephemeron.check_data e)
      (Table.stats_alive table).num_bindings (Set.count set) !ended in
  show "before";
  Gc.full_major ();
  show "after major collections"
