(* stress: no: says what a collection clears *)
(* Weak data made in a domain is still looked after when the domain has ended. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let kept = Array.init 10 (fun i -> ref i) in
  let w = Domain.join (Domain.spawn (fun () -> let w = Weak.create 20 in
    Array.iteri (fun i r -> Weak.set w i (Some r)) kept; for i = 10 to 19 do Weak.set w i (Some (ref i)) done; w)) in
  Gc.full_major (); say "%s" (String.concat "" (List.init 20 (fun i -> if Weak.check w i then "1" else "0")));
  let e = Domain.join (Domain.spawn (fun () -> Array.map (fun r -> Ephemeron.K1.make r (string_of_int !r)) kept)) in
  Gc.full_major (); say "%s" (String.concat "," (List.init 10 (fun i -> Option.value ~default:"-" (Ephemeron.K1.query e.(i) kept.(i)))));
  Domain.join (Domain.spawn (fun () -> Weak.set w 15 (Some kept.(0)); Gc.full_major ()));
  say "%b" (Weak.check w 15); ignore (Sys.opaque_identity kept)
