let before = ref 0

let () =
  incr before;
  Dynlink.loadfile "plugin.cmo";
  incr before;
  print_int !before;
  print_newline ()
