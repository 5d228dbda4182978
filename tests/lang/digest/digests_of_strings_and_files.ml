let hex s = print_endline (Digest.to_hex s)

let () =
  List.iter (fun s -> hex (Digest.string s))
    [ ""; "a"; "abc"; "message digest"; String.make 55 'x'; String.make 56 'x'; String.make 63 'x';
      String.make 64 'x'; String.make 65 'x'; String.make 119 'y'; String.make 120 'y';
      String.make 100_000 'z'; "\000\001\255" ];
  hex (Digest.bytes (Bytes.of_string "abc"));
  hex (Digest.substring "xxabcxx" 2 3);
  hex (Digest.subbytes (Bytes.of_string "xxabcxx") 2 3);
  let oc = open_out_bin "f.bin" in
  for i = 0 to 99_999 do output_byte oc (i * 7 land 255) done;
  close_out oc;
  hex (Digest.file "f.bin");
  let ic = open_in_bin "f.bin" in
  hex (Digest.channel ic 1000);
  hex (Digest.channel ic 0);
  Printf.printf "%d\n" (pos_in ic);
  hex (Digest.channel ic (-1));
  (try hex (Digest.channel ic 10) with End_of_file -> print_endline "End_of_file");
  (try hex (Digest.substring "abc" 2 5) with Invalid_argument s -> print_endline s);
  let d = Digest.from_hex "900150983cd24fb0d6963f7d28e17f72" in
  Printf.printf "%b %d\n" (Digest.equal d (Digest.string "abc")) (Digest.compare d (Digest.string
      "b"));
  (try ignore (Digest.from_hex "xyz") with Invalid_argument s -> print_endline s);
  Digest.output stdout d;
  print_newline ();
  let oc = open_out_bin "d" in Digest.output oc d; close_out oc;
  let ic = open_in_bin "d" in
  hex (Digest.input ic)
