let s = "\x01\x02\x83\x04\xF5\x06\x07\x88\x09\xFA"

let () =
  let open String in
  for i = 0 to length s - 1 do Printf.printf "%d %d;" (get_uint8 s i) (get_int8 s i) done;
  for i = 0 to length s - 2 do
    Printf.printf "%d %d %d %d %d;" (get_uint16_le s i) (get_uint16_be s i) (get_int16_le s i)
      (get_int16_be s i) (get_uint16_ne s i)
  done;
  for i = 0 to length s - 4 do Printf.printf "%ld %ld;" (get_int32_le s i) (get_int32_be s i) done;
  for i = 0 to length s - 8 do Printf.printf "%Ld %Ld;" (get_int64_le s i) (get_int64_be s i) done;
  print_newline ();
  List.iter (fun f -> try f () with Invalid_argument m -> print_endline m)
    [ (fun () -> ignore (get_uint8 s 10)); (fun () -> ignore (get_uint16_le s 9));
      (fun () -> ignore (get_int32_be s 7)); (fun () -> ignore (get_int64_ne s 3));
      (fun () -> ignore (get_int32_ne s (-1))); (fun () -> ignore (get_int64_le s max_int)) ]
