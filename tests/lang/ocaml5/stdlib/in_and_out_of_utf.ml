let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let s = "h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80 \xff\xc3" in
  let rec go i = if i < String.length s then begin let d = String.get_utf_8_uchar s i in say "%d: U+%04X %b %d" i (Uchar.to_int (Uchar.utf_decode_uchar d)) (Uchar.utf_decode_is_valid d) (Uchar.utf_decode_length d); go (i + Uchar.utf_decode_length d) end in go 0;
  let b = Buffer.create 10 in List.iter (fun c -> Buffer.add_utf_8_uchar b (Uchar.of_int c); Buffer.add_utf_16be_uchar b (Uchar.of_int c); Buffer.add_utf_16le_uchar b (Uchar.of_int c)) [0x41; 0xe9; 0x20ac; 0x1f600]; say "%S" (Buffer.contents b);
  say "%b %b %b" (String.is_valid_utf_8 "\xc3\xa9") (String.is_valid_utf_16be "\xd8\x00") (String.is_valid_utf_16le "A\000"); say "%ld %Ld %d %d" (String.get_int32_be "\001\002\003\004" 0) (String.get_int64_le "12345678" 0) (String.get_uint16_le "\255\254" 0) (String.get_int8 "\200" 0);
  (match String.get_int32_ne "abc" 0 with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e)); let b = Bytes.make 8 '\000' in Bytes.set_int64_be b 0 0x0102030405060708L; Bytes.set_uint16_be b 2 0xABCD; say "%S" (Bytes.to_string b); say "%s" (Uchar.(to_int (of_char 'z')) |> string_of_int); (match Uchar.of_int 0xD800 with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e))
