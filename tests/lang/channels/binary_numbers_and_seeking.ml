let () =
  let oc = open_out_bin "b" in
  output_binary_int oc 0x12345678; output_binary_int oc (-1); output_byte oc 0x1FF;
  output_value oc [ 1.5 ]; output_bytes oc (Bytes.of_string "bytes");
      output oc (Bytes.of_string "0123456789") 3 4;
  output_substring oc "abcdef" 1 3;
  let n = pos_out oc in
  seek_out oc 4; output_binary_int oc 77; seek_out oc n;
  Printf.printf "%d %Ld %Ld\n" n (LargeFile.pos_out oc) (LargeFile.out_channel_length oc);
  LargeFile.seek_out oc 100L; output_char oc 'z';
  close_out oc;
  let ic = open_in_bin "b" in
  Printf.printf "%x %d %d\n" (input_binary_int ic) (input_binary_int ic) (input_byte ic);
  Printf.printf "%g\n" (List.hd (input_value ic));
  let b = Bytes.make 12 '.' in
  really_input ic b 0 12;
  print_endline (Bytes.to_string b);
  Printf.printf "%d %Ld %Ld\n" (pos_in ic) (LargeFile.pos_in ic) (LargeFile.in_channel_length ic);
  seek_in ic 2; Printf.printf "%x\n" (input_byte ic);
  LargeFile.seek_in ic 100L; Printf.printf "%c\n" (input_char ic);
  (try ignore (input_binary_int ic) with End_of_file -> print_endline "eof");
  seek_in ic 99;
  (try ignore (really_input_string ic 5) with End_of_file -> print_endline "eof");
  seek_in ic 1000;
  Printf.printf "%d %d\n" (pos_in ic) (input ic b 0 12);
  set_binary_mode_in ic true;
  (try really_input ic b 5 50 with Invalid_argument s -> print_endline s);
  (try ignore (input ic b (-1) 2) with Invalid_argument s -> print_endline s);
  (try output stdout b 5 50 with Invalid_argument s -> print_endline s);
  (try seek_in ic (-5) with Sys_error s -> print_endline s)
