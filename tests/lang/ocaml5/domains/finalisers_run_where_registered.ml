(* A finaliser runs in the domain that registered it, whichever domain collects. *)
let say s = Printf.printf "%s in %d\n%!" s (Domain.self () :> int)
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
  print_endline "end"
