(* stress: no: says when finalisers run *)
(* They run in the domain that adopts them. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let me () = (Domain.self () :> int)
let[@inline never] register name = Gc.finalise (fun r -> say "%s %d in domain %d" name !r (me ())) (ref 5)
let[@inline never] register_last name = Gc.finalise_last (fun () -> say "%s in domain %d" name (me ())) (ref 5)
let () =
  Domain.join (Domain.spawn (fun () -> register "own"; Gc.full_major (); say "domain %d ends" (me ())));
  Domain.join (Domain.spawn (fun () -> register "left behind"; say "domain %d ends" (me ())));
  Gc.full_major (); Gc.full_major ();
  say "--";
  Domain.join (Domain.spawn (fun () -> register_last "last, own"; Gc.full_major (); say "domain %d ends" (me ())));
  let kept = Domain.join (Domain.spawn (fun () -> let r = ref 7 in Gc.finalise (fun r -> say "kept %d in %d" !r (me ())) r; r)) in
  Gc.full_major ();
  say "kept is %d" !(Sys.opaque_identity kept);
  Gc.full_major (); Gc.full_major ()
