let () =
  let oc = open_out "t.txt" in
  output_string oc "first\nsecond\n\nfourth without newline";
  close_out oc;
  let ic = open_in "t.txt" in
  let rec lines n = match input_line ic with
    | l -> Printf.printf "%d:%S at %d\n" n l (pos_in ic); lines (n + 1)
    | exception End_of_file -> print_endline "eof"
  in
  lines 1;
  (try ignore (input_char ic) with End_of_file -> print_endline "eof again");
  seek_in ic 0;
  print_endline (really_input_string ic 8 |> String.escaped);
  close_in ic;
  let oc = open_out_gen [ Open_append; Open_wronly ] 0o644 "t.txt" in
  output_string oc "+appended\n";
  Printf.printf "%d %d\n" (pos_out oc) (out_channel_length oc);
  close_out oc;
  let ic = open_in "t.txt" in
  Printf.printf "%d\n" (in_channel_length ic);
  close_in_noerr ic;
  close_in_noerr ic;
  let long = String.make 200_000 'l' in
  let oc = open_out "long" in
  output_string oc long; output_char oc '\n'; output_string oc "tail";
  close_out oc;
  let ic = open_in "long" in
  Printf.printf "%b %s\n" (input_line ic = long) (input_line ic)
