let () =
  let oc = open_out "/dev/full" in
  output_string oc "cannot be written";
  print_endline "main ends"
