let () =
  let open Bytes in
  let b = make 24 '\000' in
  let p () = String.iter (fun c -> Printf.printf "%02x" (Char.code c)) (to_string b);
      print_newline () in
  set_uint8 b 0 0x1FF; set_int8 b 1 (-2); p ();
  set_uint16_le b 2 0x12345; set_uint16_be b 4 0xABCD; set_int16_le b 6 (-2); set_int16_be b 8 (-3);
  p ();
  set_uint16_ne b 10 0x0102; set_int16_ne b 12 0x0304; p ();
  set_int32_le b 0 0x01020304l; set_int32_be b 4 (-2l); set_int32_ne b 8 0x7F000001l; p ();
  set_int64_le b 0 0x0102030405060708L; set_int64_be b 8 (-2L);
      set_int64_ne b 16 0x8000000000000001L;
  p ();
  for i = 0 to 22 do
    Printf.printf "%d %d %d %d %d %d;" (get_uint8 b i) (get_int8 b i) (get_uint16_le b i)
      (get_uint16_be b i) (get_int16_le b i) (get_int16_be b i)
  done;
  for i = 0 to 16 do
    Printf.printf "%ld %ld %Ld %Ld;" (get_int32_le b i) (get_int32_be b i) (get_int64_le b i)
      (get_int64_be b i)
  done;
  print_newline ();
  List.iter (fun f -> try f () with Invalid_argument m -> print_endline m)
    [ (fun () -> set_uint8 b 24 1); (fun () -> set_uint16_le b 23 1);
        (fun () -> set_int32_be b 21 1l);
      (fun () -> set_int64_ne b 17 1L); (fun () -> ignore (get_int64_le b 17));
      (fun () -> ignore (get_uint16_be b (-1))) ]
