let () =
  let rings = ref 0 in
  let alarm = Gc.create_alarm (fun () -> incr rings) in
  for _ = 1 to 3 do Gc.full_major () done;
  Printf.printf "%b\n" (!rings >= 3);
  Gc.delete_alarm alarm;
  Gc.full_major ();
  let before = !rings in
  for _ = 1 to 3 do Gc.full_major () done;
  Printf.printf "%b\n" (!rings = before)
