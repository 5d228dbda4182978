let () =
  Callback.register "my value" (fun x -> x + 1);
  Callback.register "my value" 7;
  let exception E of int in
  Callback.register_exception "my exception" (E 0);
  Callback.register_exception "constant" Exit;
  print_endline "registered"
