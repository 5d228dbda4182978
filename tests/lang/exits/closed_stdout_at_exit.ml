let () =
  prerr_endline "closing";
  close_out stdout;
  prerr_endline "closed"
