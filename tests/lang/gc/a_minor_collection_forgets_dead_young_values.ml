(* ocaml5: no: its ephemerons are immutable *)
(* stress: no: asks whether values are still young *)
(* Weak pointers, ephemerons and finalise_last notice the death of young values in a minor collection. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let w : int ref Weak.t = Weak.create 6
let e : (int ref, int ref) Ephemeron.K1.t = Ephemeron.K1.create ()
let show w = String.concat "" (List.init (Weak.length w) (fun i -> if Weak.check w i then "x" else "."))

let set kept =
  Weak.set w 0 (Some kept);
  Weak.set w 1 (Some (ref (Sys.opaque_identity 6)));
  let r = ref (Sys.opaque_identity 7) in
  Weak.set w 3 (Some r);
  Ephemeron.K1.set_key e r;
  Ephemeron.K1.set_data e (ref 8);
  Gc.finalise_last (fun () -> say "gone, weak %b" (Weak.check w 3)) r

let () =
  let kept = ref (Sys.opaque_identity 5) in
  set kept;
  say "%s %b" (show w) (Ephemeron.K1.check_data e);
  Gc.minor ();
  say "%s %b" (show w) (Ephemeron.K1.check_data e);
  Gc.full_major ();
  say "%s %b" (show w) (Ephemeron.K1.check_data e);
  ignore (Sys.opaque_identity kept)
