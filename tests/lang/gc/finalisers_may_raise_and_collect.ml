(* A finaliser's exception surfaces where it ran; the others run later. Finalisers may collect, and do not
   run inside each other unless finalise_release allows it. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let at_end f v = Gc.finalise f v

(* They die together: each is kept until the last has its finaliser. *)
let raising () =
  let one = ref 1 and two = ref 2 and three = ref 3 in
  at_end (fun r -> say "one %d" !r) one;
  at_end (fun _ -> say "two raises"; failwith "finaliser") two;
  at_end (fun r -> say "three %d" !r) three;
  ignore (Sys.opaque_identity (one, two, three))

let depth = ref 0
let collecting () =
  let all = List.init 3 (fun i -> ref (i + 1)) in
  List.iter (at_end (fun r ->
    incr depth;
    say "in %d, depth %d" !r !depth;
    Gc.full_major ();
    decr depth)) all;
  ignore (Sys.opaque_identity all)

let releasing () =
  let outer = ref 0 and inner = ref 0 in
  at_end (fun _ -> say "outer begins"; Gc.finalise_release (); Gc.full_major (); say "outer ends") outer;
  at_end (fun _ -> say "inner") inner;
  ignore (Sys.opaque_identity (outer, inner))

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
