let values = [ 0; 1; -1; 0x7fffffff; -0x80000000; 0x80000000; 0x123456789a; max_int; min_int; 42 ]

let () =
  let oc = open_out_bin "x" in
  List.iter (output_binary_int oc) values;
  List.iter (output_byte oc) [ 0; 255; 256; -1; 65 ];
  Printf.printf "%d\n" (pos_out oc);
  close_out oc;
  let ic = open_in_bin "x" in
  List.iter (fun _ -> Printf.printf "%d\n" (input_binary_int ic)) values;
  for _ = 1 to 5 do Printf.printf "%d " (input_byte ic) done;
  print_newline ();
  seek_in ic 1;
  Printf.printf "%x\n" (input_binary_int ic);
  seek_in ic (in_channel_length ic - 2);
  (try ignore (input_binary_int ic) with End_of_file -> Printf.printf "end at %d\n" (pos_in ic));
  close_in ic

(* across the buffer's end *)
let () =
  let oc = open_out_bin "y" in
  output_string oc (String.make 65534 '.');
  output_binary_int oc 0x01020304;
  output_string oc "tail";
  close_out oc;
  let ic = open_in_bin "y" in
  seek_in ic 65530;
  Printf.printf "%x %x %s\n" (input_binary_int ic) (input_binary_int ic)
    (really_input_string ic 4);
  close_in ic
