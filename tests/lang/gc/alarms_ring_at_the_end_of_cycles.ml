(* stress: no: counts cycles *)
(* Gc.create_alarm and delete_alarm. *)
let () =
  let rung = ref 0 in
  let alarm = Gc.create_alarm (fun () -> incr rung) in
  for i = 1 to 3 do
    Gc.full_major ();
    Printf.printf "%d after %d\n" !rung i
  done;
  Gc.delete_alarm alarm;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "%d\n" !rung;
  let other = ref 0 in
  let _alarm = Gc.create_alarm (fun () -> incr other) in
  let before = (Gc.quick_stat ()).Gc.major_collections in
  let keep = ref [] in
  for i = 1 to 300 do
    keep := Array.make 1000 (ref i) :: (if i mod 50 = 0 then [] else !keep)
  done;
  while (Gc.quick_stat ()).Gc.major_collections < before + 4 do
    keep := Array.make 1000 (ref 0) :: (if List.length !keep > 50 then [] else !keep)
  done;
  Printf.printf "%b\n" (!other > 0)
