(* stress: no: counts cycles *)
(* Which of three cycles runs a finaliser, when it registers itself again; alarms. *)
let p = Printf.printf
let forced () = (Gc.quick_stat ()).Gc.forced_major_collections

let () =
  let before = forced () in
  let rings = ref 0 in
  let alarm = Gc.create_alarm (fun () -> incr rings; p "ring\n") in
  Gc.major (); p "%d after major\n" !rings;
  Gc.full_major (); p "%d after full_major\n" !rings;
  Gc.major (); p "%d after major\n" !rings;
  Gc.compact (); p "%d after compact\n" !rings;
  ignore (Gc.stat ()); p "%d after stat\n" !rings;
  Gc.minor (); p "%d after minor\n" !rings;
  Gc.delete_alarm alarm;
  Gc.full_major (); p "%d after the end\n" !rings;
  p "%d forced\n" (forced () - before)

let () =
  let rec again n v = p "first %d\n" n; if n < 10 then Gc.finalise (again (n + 1)) v in
  Gc.finalise (again 0) (ref 1);
  Gc.full_major (); p "full_major\n";
  Gc.full_major (); p "full_major\n";
  Gc.major (); p "major\n";
  Gc.major (); p "major\n";
  let rec again n () = p "last %d\n" n; if n < 10 then Gc.finalise_last (again (n + 1)) (ref n) in
  Gc.finalise_last (again 0) (ref 1);
  Gc.full_major (); p "full_major\n";
  Gc.full_major (); p "full_major\n";
  Gc.major (); p "major\n";
  Gc.minor (); p "minor\n";
  ignore (Gc.stat ()); p "stat\n"
