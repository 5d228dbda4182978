exception Boom

let () =
  let runs = ref 0 in
  let l = lazy (incr runs; !runs * 10) in
  Printf.printf "%b %d %d %d %b\n" (Lazy.is_val l) (Lazy.force l) (Lazy.force l) !runs
      (Lazy.is_val l);
  let bad = lazy (incr runs; raise Boom) in
  for _ = 1 to 3 do try Lazy.force bad with Boom -> Printf.printf "Boom %d " !runs done;
  let rec loop = lazy (1 + Lazy.force loop) in
  (try ignore (Lazy.force loop) with Lazy.Undefined -> print_endline "Undefined");
  (try ignore (Lazy.force loop) with Lazy.Undefined -> print_endline "Undefined again");
  let v = Lazy.from_val 3.5 and f = Lazy.from_fun (fun () -> "fun") in
  Printf.printf "%b %g %b %s\n" (Lazy.is_val v) (Lazy.force v) (Lazy.is_val f) (Lazy.force_val f);
  let m = Lazy.map String.length f and mv = Lazy.map_val (fun x -> x +. 1.0) v in
  Printf.printf "%b %d %b %g\n" (Lazy.is_val m) (Lazy.force m) (Lazy.is_val mv) (Lazy.force mv);
  let (lazy a, lazy b) = (lazy 1, lazy (1 + 1)) in
  Printf.printf "%d\n" (a + b);
  let nested = lazy (lazy (lazy 5)) in
  Printf.printf "%d\n" (Lazy.force (Lazy.force (Lazy.force nested)));
  Gc.full_major ();
  Printf.printf "%d\n" (Lazy.force (Lazy.force (Lazy.force nested)));
  let many = List.init 1000 (fun i -> lazy (i * 2)) in
  Gc.minor ();
  Printf.printf "%d\n" (List.fold_left (fun s l -> s + Lazy.force l) 0 many);
  Gc.full_major ();
  Printf.printf "%d\n" (List.fold_left (fun s l -> s + Lazy.force l) 0 many);
  let unit_float = lazy (float_of_string "2.5") in
  ignore (Lazy.force unit_float);
  Gc.full_major ();
  Printf.printf "%g %d\n" (Lazy.force unit_float) (Obj.tag (Obj.repr unit_float))
