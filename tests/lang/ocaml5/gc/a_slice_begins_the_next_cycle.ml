(* stress: no: counts cycles *)
(* A slice that ends a cycle begins the next one before finalisers run: their values survive it. *)
let say = print_string

let round prepare =
  let weak = Weak.create 1 in
  let fill () = let v = ref 1 in Weak.set weak 0 (Some v); prepare v in
  fill ();
  for _ = 1 to 5 do
    ignore (Gc.major_slice 1_000_000_000);
    say (if Weak.check weak 0 then "1 " else "0 ")
  done;
  say "\n"

let () =
  Gc.full_major ();
  round ignore;
  round (Gc.finalise (fun _ -> say "F"));
  round (Gc.finalise_last (fun () -> say "L"));
  round (fun v -> Gc.finalise (fun _ -> say "F") v; Gc.finalise_last (fun () -> say "L") v);
  round (Gc.finalise (fun v -> say "F"; Gc.finalise (fun _ -> say "f") v));
  Gc.full_major ();
  round (fun v -> Gc.finalise (fun _ -> say "F") v; Gc.minor (); ignore (Gc.major_slice 0))
