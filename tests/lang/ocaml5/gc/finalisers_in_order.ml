(* stress: no: says when finalisers run *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let[@inline never] make name = Gc.finalise (fun r -> say "%s %d" name !r) (ref (String.length name))
let[@inline never] make_last name = Gc.finalise_last (fun () -> say "last %s" name) (ref 0)
let saved = ref None
let[@inline never] resurrect () = Gc.finalise (fun r -> say "saved %d" !r; saved := Some r) (ref 9)
let show f = match f () with () -> say "fine" | exception e -> say "%s" (Printexc.to_string e)
let () =
  List.iter make ["a"; "bb"; "ccc"]; Gc.full_major (); say "--";
  List.iter make_last ["x"; "y"]; Gc.full_major (); say "--";
  resurrect (); Gc.full_major (); say "%d" (match !saved with Some r -> !r | None -> 0);
  saved := None; Gc.full_major ();
  show (fun () -> Gc.finalise ignore (Obj.magic 3));
  show (fun () -> Gc.finalise_last ignore (Obj.magic 3));
  show (fun () -> Gc.finalise (fun _ -> failwith "finaliser") (ref 1); Gc.full_major ());
  let v = ref 5 in
  Gc.finalise (fun _ -> say "first") v; Gc.finalise (fun _ -> say "second") v; Gc.finalise_last (fun () -> say "third") v;
  ignore (Sys.opaque_identity v); Gc.full_major ();
  let nested = ref 0 in
  let rec chain n = if n > 0 then begin let[@inline never] go () = Gc.finalise (fun _ -> incr nested; chain (n - 1)) (ref n) in go () end in
  chain 5; for _ = 1 to 6 do Gc.full_major () done; say "%d" !nested;
  Gc.finalise_release (); say "end"
