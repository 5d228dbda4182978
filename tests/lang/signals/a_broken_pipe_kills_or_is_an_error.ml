let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  ignore (Sys.command "mkfifo p; (head -c 1 p > /dev/null) &");
  let oc = open_out "p" in
  match
    for _ = 1 to 1000 do output_string oc (String.make 10_000 'x'); flush oc done
  with
  | () -> print_endline "written"
  | exception Sys_error s -> print_endline s; close_out_noerr oc
