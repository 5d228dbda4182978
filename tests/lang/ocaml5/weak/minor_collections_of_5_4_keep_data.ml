(* ocaml: 5.4 *)
(* stress: no: says what a minor collection leaves *)
(* In OCaml 5.4 keys die in minor collections, too, and the data with them, but not what data refers to. *)
let fresh n = Sys.opaque_identity (ref n)
let () =
  let ended = ref 0 and w = Weak.create 1 and e = Obj.Ephemeron.create 1 and of_data = Weak.create 1 in
  Weak.set w 0 (Some (fresh 1));
  let data = fresh 2 in
  Gc.finalise_last (fun () -> incr ended) data;
  Obj.Ephemeron.set_key e 0 (Obj.repr (fresh 3));
  Obj.Ephemeron.set_data e (Obj.repr data);
  Weak.set of_data 0 (Some data);
  let show when_ =
    Printf.printf "%s: weak %b, key %b, data %b, of data %b, finalised %d\n" when_ (Weak.check w 0)
      (Obj.Ephemeron.check_key e 0) (Obj.Ephemeron.check_data e) (Weak.check of_data 0) !ended in
  show "before";
  Gc.minor ();
  show "after a minor collection";
  Gc.full_major ();
  show "after major collections"
