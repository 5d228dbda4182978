let log = ref []
let note s = log := s :: !log

let () =
  let make name = let r = ref name in Gc.finalise (fun r -> note ("finalise " ^ !r)) r; r in
  let kept = make "kept" in
  ignore (make "first"); ignore (make "second");
  let last name = let r = Bytes.of_string name in Gc.finalise_last (fun () -> note ("last " ^
      name)) r; r in
  let kept_last = last "kept_last" in
  ignore (last "gone");
  Gc.full_major ();
  Gc.full_major ();
  List.iter print_endline (List.sort compare !log);
  Printf.printf "%s %s\n" !kept (Bytes.to_string kept_last);
  (try Gc.finalise (fun _ -> ()) (Obj.magic 5) with Invalid_argument s -> print_endline s);
  (try Gc.finalise_last (fun () -> ()) (Obj.magic 5) with Invalid_argument s -> print_endline s);
  let rescued = ref None in
  let doomed () = Gc.finalise (fun r -> rescued := Some r) (ref 77) in
  doomed ();
  Gc.full_major ();
  (match !rescued with Some r -> Printf.printf "rescued %d\n" !r | None -> print_endline "lost");
  Gc.finalise_release ();
  let chain = ref 0 in
  let rec next n = if n > 0 then Gc.finalise (fun _ -> incr chain; next (n - 1)) (ref n) in
  next 3;
  for _ = 1 to 5 do Gc.full_major () done;
  Printf.printf "%d\n" !chain
