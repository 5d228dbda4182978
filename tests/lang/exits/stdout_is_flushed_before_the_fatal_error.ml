let () =
  print_string "unflushed text";
  prerr_string "unflushed error ";
  at_exit (fun () -> print_string " and at_exit");
  failwith "boom"
