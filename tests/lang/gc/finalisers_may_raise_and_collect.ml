(* stress: no *)
(* A finaliser's exception surfaces where it ran; the others run later. Finalisers may collect, and do not
   run inside each other unless finalise_release allows it. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let at_end f v = Gc.finalise f v

let raising () =
  at_end (fun r -> say "one %d" !r) (ref 1);
  at_end (fun _ -> say "two raises"; failwith "finaliser") (ref 2);
  at_end (fun r -> say "three %d" !r) (ref 3)

let depth = ref 0
let collecting () =
  for i = 1 to 3 do
    at_end (fun r ->
      incr depth;
      say "in %d, depth %d" !r !depth;
      Gc.full_major ();
      decr depth) (ref i)
  done

let releasing () =
  at_end (fun _ -> say "outer begins"; Gc.finalise_release (); Gc.full_major (); say "outer ends") (ref 0);
  at_end (fun _ -> say "inner") (ref 0)

let allocating () =
  at_end (fun r ->
    let l = List.init 100_000 (fun i -> i + !r) in
    say "sum %d" (List.fold_left ( + ) 0 l)) (ref 1)

let () =
  raising ();
  (match Gc.full_major () with () -> say "no exception" | exception Failure m -> say "Failure %s" m);
  Gc.full_major ();
  say "-- collecting";
  collecting ();
  Gc.full_major ();
  say "-- releasing";
  releasing ();
  Gc.full_major ();
  say "-- allocating";
  allocating ();
  Gc.full_major ();
  say "end"
