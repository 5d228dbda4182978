let () =
  ignore (Printexc.to_string Not_found);
  assert (Array.length Sys.argv = 99)
