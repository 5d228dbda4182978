let () =
  for i = 0 to 20_000 do
    print_int i;
    if i mod 20 = 19 then print_newline () else print_char ' '
  done;
  print_newline ();
  print_string (String.make 150_000 '=');
  print_newline ();
  output_string stdout (String.init 70_000 (fun i -> Char.chr (32 + (i mod 90))));
  flush stdout;
  prerr_string (String.make 70_000 'e')
