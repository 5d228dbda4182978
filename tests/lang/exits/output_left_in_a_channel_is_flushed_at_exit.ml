let () =
  let oc = open_out "left.txt" in
  output_string oc "not flushed by hand\n";
  at_exit (fun () ->
      flush_all ();
      let ic = open_in "left.txt" in
      print_endline (input_line ic))
