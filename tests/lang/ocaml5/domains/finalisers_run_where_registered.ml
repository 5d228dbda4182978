(* A finaliser runs in the domain that registered it, whichever domain collects. When is open: a
   domain that waits for another runs its finalisers before, meanwhile or after. *)
let seen = Atomic.make []
let rec say s =
  let before = Atomic.get seen in
  let line = Printf.sprintf "%s in %d" s (Domain.self () :> int) in
  if not (Atomic.compare_and_set seen before (line :: before)) then say s
let collect () = Gc.full_major (); Gc.full_major ()

let () =
  Gc.finalise (fun _ -> say "of the first domain") (ref 0);
  Domain.join (Domain.spawn (fun () ->
      Gc.finalise (fun _ -> say "of the second domain") (ref 0);
      collect ();
      print_endline "collected";
      Domain.join (Domain.spawn (fun () ->
          Gc.finalise (fun _ -> say "of the third domain") (ref 0);
          collect ();
          print_endline "third ends"));
      print_endline "third joined"));
  print_endline "second joined";
  collect ();
  List.iter print_endline (List.sort compare (Atomic.get seen));
  print_endline "end"
