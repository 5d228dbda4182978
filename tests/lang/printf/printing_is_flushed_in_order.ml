let () =
  print_string "one ";
  prerr_string "err-one ";
  Printf.printf "two %!";
  Printf.eprintf "err-two %!";
  print_int 3; print_char ' '; print_float 4.5; print_bytes (Bytes.of_string " five\n");
  prerr_int 3; prerr_char ' '; prerr_float 4.5; prerr_bytes (Bytes.of_string " five");
      prerr_newline ();
  print_endline "six";
  prerr_endline "err-six"
