let () =
  let oc = open_out_gen [ Open_wronly; Open_creat ] 0o644 "/dev/stderr" in
  output_string oc "[from the other channel]\n";
  raise Exit
