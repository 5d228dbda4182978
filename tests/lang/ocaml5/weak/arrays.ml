(* stress: no: says what a collection clears *)
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let bits w = String.concat "" (List.init (Weak.length w) (fun i -> if Weak.check w i then "1" else "0"))
let () =
  let keep = Array.init 5 (fun i -> ref i) in
  let w = Weak.create 10 in
  Array.iteri (fun i r -> Weak.set w i (Some r)) keep;
  let[@inline never] fill () = for i = 5 to 9 do Weak.set w i (Some (ref i)) done in fill ();
  say "%s" (bits w); Gc.full_major (); say "%s" (bits w);
  say "%b %b" (Weak.get w 0 = Some (ref 0)) (match Weak.get w 0 with Some r -> r == keep.(0) | None -> false);
  say "%b" (match Weak.get_copy w 1 with Some r -> r != keep.(1) && !r = 1 | None -> false);
  let v = Weak.create 6 in Weak.blit w 0 v 1 5; say "%s" (bits v); Weak.fill v 0 2 None; say "%s" (bits v);
  Weak.set w 0 None; say "%s" (bits w);
  List.iter (fun (name, f) -> show name (fun () -> f (); "fine"))
    [ ("create -1", fun () -> ignore (Weak.create (-1))); ("get -1", fun () -> ignore (Weak.get w (-1))); ("get 10", fun () -> ignore (Weak.get w 10));
      ("set 10", fun () -> Weak.set w 10 None); ("check 10", fun () -> ignore (Weak.check w 10)); ("get_copy 10", fun () -> ignore (Weak.get_copy w 10));
      ("blit out", fun () -> Weak.blit w 5 v 5 3); ("blit negative", fun () -> Weak.blit w 0 v 0 (-1)); ("fill out", fun () -> Weak.fill w 8 3 None);
      ("create 0", fun () -> ignore (Weak.create 0)); ("blit 0", fun () -> Weak.blit w 10 v 6 0) ];
  ignore (Sys.opaque_identity keep); say "%d" (Weak.length (Weak.create 0))
