(* stress: no: says when finalisers run *)
(* The main domain takes them at the next collection, after its own. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let me () = (Domain.self () :> int)
let in_domain f = Domain.join (Domain.spawn f)
let[@inline never] last name = Gc.finalise_last (fun () -> say "%s in domain %d" name (me ())) (ref 5)
let[@inline never] first name = Gc.finalise (fun _ -> say "%s in domain %d" name (me ())) (ref 5)
let () =
  last "main";
  in_domain (fun () -> last "left ready");
  say "joined";
  last "main again";
  Gc.minor ();
  say "-- found dead by a third domain";
  in_domain (fun () ->
      in_domain (fun () -> first "left alive"; last "left ready");
      say "joined";
      Gc.full_major ();
      say "domain %d collected" (me ()));
  say "joined";
  Gc.full_major ()
