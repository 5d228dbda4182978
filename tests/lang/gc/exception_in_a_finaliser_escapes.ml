let () =
  let make () = Gc.finalise (fun _ -> failwith "from the finaliser") (ref 1) in
  make ();
  (try Gc.full_major (); print_endline "no exception" with Failure s -> print_endline s);
  let again () = Gc.finalise (fun _ -> print_endline "the next one still runs") (ref 2) in
  again ();
  Gc.full_major ();
  print_endline "end"
