let () =
  let b = Buffer.create 1 in
  Buffer.add_char b 'a';
  Buffer.add_string b "bcdef";
  Buffer.add_bytes b (Bytes.of_string "ghi");
  Buffer.add_substring b "0123456789" 3 4;
  Buffer.add_subbytes b (Bytes.of_string "UVWXYZ") 1 2;
  Printf.bprintf b "<%d>" 42;
  print_endline (Buffer.contents b);
  Printf.printf "%d %c %s\n" (Buffer.length b) (Buffer.nth b 3) (Buffer.sub b 2 5);
  let c = Buffer.create 10 in
  Buffer.add_buffer c b;
  Buffer.truncate b 4;
  Buffer.add_seq b (String.to_seq "+seq");
  print_endline (Buffer.contents b ^ "|" ^ Bytes.to_string (Buffer.to_bytes c));
  let d = Bytes.make 5 '.' in
  Buffer.blit c 1 d 1 3;
  print_endline (Bytes.to_string d);
  Seq.iter print_char (Buffer.to_seq c);
  Seq.iter (fun (i, ch) -> if i < 3 then Printf.printf " %d%c" i ch) (Buffer.to_seqi c);
  print_newline ();
  Buffer.reset c;
  Buffer.add_substitute c (fun v -> "[" ^ v ^ "]") "x $a ${b c} $(d) \\$e $f_1-g $$";
  print_endline (Buffer.contents c);
  (try Buffer.add_substitute c (fun _ -> "") "${unclosed" with Not_found -> print_endline
      "Not_found");
  List.iter (fun f -> try f () with Invalid_argument s -> print_endline s)
    [ (fun () -> ignore (Buffer.nth b 100)); (fun () -> ignore (Buffer.sub b 3 100));
      (fun () -> Buffer.truncate b 100); (fun () -> Buffer.add_substring b "abc" 2 5);
      (fun () -> Buffer.blit b 0 d 0 100) ];
  let big = Buffer.create 0 in
  for i = 1 to 50_000 do Buffer.add_char big (Char.chr (i land 127)) done;
  Printf.printf "%d %s\n" (Buffer.length big) (Digest.to_hex (Digest.string (Buffer.contents big)));
  Buffer.clear big;
  Buffer.add_int8 big 1; Buffer.add_uint8 big 255; Buffer.add_int16_be big 0x102;
  Buffer.add_int16_le big 0x102; Buffer.add_uint16_ne big 7; Buffer.add_int32_be big 0x01020304l;
  Buffer.add_int32_le big 0x01020304l; Buffer.add_int64_be big 1L; Buffer.add_int64_le big 1L;
  Printf.printf "%S\n" (Buffer.contents big);
  let file = open_out_bin "f" in
  Buffer.output_buffer file big;
  close_out file;
  let ic = open_in_bin "f" in
  let r = Buffer.create 4 in
  Buffer.add_channel r ic 5;
  (try Buffer.add_channel r ic 500 with End_of_file -> print_endline "End_of_file");
  Printf.printf "%b\n" (Buffer.contents r = Buffer.contents big)
