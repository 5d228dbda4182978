(* Values, exceptions, recursion: each of Lazy's functions in each state. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with n -> say "%s: %d" name n | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  let runs = ref 0 in
  let l = lazy (incr runs; 10) in
  say "%b" (Lazy.is_val l);
  show "first" (fun () -> Lazy.force l); show "second" (fun () -> Lazy.force l); say "%d %b" !runs (Lazy.is_val l);
  let f = lazy (incr runs; failwith "no") in
  show "fails" (fun () -> Lazy.force f); show "fails again" (fun () -> Lazy.force f); say "%d %b" !runs (Lazy.is_val f);
  let rec r = lazy (1 + Lazy.force r) in
  show "itself" (fun () -> Lazy.force r); show "itself again" (fun () -> Lazy.force r);
  let rec a = lazy (Lazy.force b + 1) and b = lazy (Lazy.force a + 1) in
  show "each other" (fun () -> Lazy.force a); show "the other" (fun () -> Lazy.force b);
  let rec c = lazy (try Lazy.force c with CamlinternalLazy.Undefined -> 7) in
  show "catches" (fun () -> Lazy.force c); show "keeps" (fun () -> Lazy.force c);
  show "force_val" (fun () -> Lazy.force_val (lazy (3 + 4)));
  let m = Lazy.map (fun x -> incr runs; x * 2) l in
  show "map" (fun () -> Lazy.force m);
  let mv = Lazy.map_val succ l in say "%b" (Lazy.is_val mv); show "map_val" (fun () -> Lazy.force mv);
  show "from_fun" (fun () -> Lazy.force (Lazy.from_fun (fun () -> 5)));
  show "from_val" (fun () -> Lazy.force (Lazy.from_val 6));
  let nested = lazy (lazy (lazy 8)) in
  show "nested" (fun () -> Lazy.force (Lazy.force (Lazy.force nested)));
  show "pattern" (fun () -> match lazy (9, lazy 1) with lazy (x, (lazy y)) -> x + y)
