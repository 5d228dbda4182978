let () =
  print_char 'a'; print_string "bc"; print_bytes (Bytes.of_string "de"); print_int 12;
  print_float 1.5; print_newline (); print_endline "line";
  output stdout (Bytes.of_string "hello world") 6 5; output_char stdout '\n';
  output_substring stdout "hello world" 0 5; print_newline ();
  prerr_char 'x'; prerr_string "y"; prerr_bytes (Bytes.of_string "z"); prerr_int 3;
  prerr_float 0.25; prerr_endline "!"; prerr_newline ();
  let refuse f = try f () with Invalid_argument s -> print_endline s in
  refuse (fun () -> output stdout (Bytes.create 3) 2 2);
  refuse (fun () -> output stdout (Bytes.create 3) (-1) 2);
  refuse (fun () -> output_substring stdout "abc" 1 3);
  refuse (fun () -> output_substring stdout "abc" max_int 1)

(* sizes around the buffer's *)
let () =
  List.iter
    (fun n ->
      let oc = open_out_bin "x" in
      output_string oc (String.make 10 '-');
      output_string oc (String.make n 'n');
      let after = pos_out oc and length = out_channel_length oc in
      output_string oc "end";
      close_out oc;
      let ic = open_in_bin "x" in
      let s = really_input_string ic (in_channel_length ic) in
      close_in ic;
      Printf.printf "%d: %d %d %d %s\n" n after length (String.length s)
        (Digest.to_hex (Digest.string s)))
    [ 0; 1; 65525; 65526; 65527; 65536; 131062; 131063; 500000 ]
