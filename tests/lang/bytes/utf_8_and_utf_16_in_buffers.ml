let () =
  let b = Buffer.create 4 in
  List.iter (fun n -> Buffer.add_utf_8_uchar b (Uchar.of_int n))
    [ 0x24; 0x7F; 0x80; 0xA3; 0x7FF; 0x800; 0x20AC; 0xFFFF; 0x10000; 0x1F42B; 0x10FFFF ];
  Printf.printf "%S\n" (Buffer.contents b);
  Buffer.clear b;
  List.iter (fun n -> Buffer.add_utf_16be_uchar b (Uchar.of_int n)) [ 0x24; 0x20AC; 0x10437 ];
  List.iter (fun n -> Buffer.add_utf_16le_uchar b (Uchar.of_int n)) [ 0x24; 0x20AC; 0x10437 ];
  Printf.printf "%S\n" (Buffer.contents b);
  List.iter (fun n -> Buffer.add_utf_8_uchar b n;
      Printf.printf "%d %x\n" (Uchar.hash n) (Uchar.to_int n))
    [ Uchar.min; Uchar.max; Uchar.bom; Uchar.rep; Uchar.succ (Uchar.of_int 0xD7FF);
      Uchar.pred (Uchar.of_int 0xE000) ];
  let attempt f = try ignore (f ()) with Invalid_argument s -> print_endline s in
  attempt (fun () -> Uchar.of_int 0xD800);
  attempt (fun () -> Uchar.of_int (-1));
  attempt (fun () -> Uchar.of_int 0x110000);
  attempt (fun () -> Uchar.succ Uchar.max);
  attempt (fun () -> Uchar.pred Uchar.min);
  Printf.printf "%b %b %c %b %d\n" (Uchar.is_valid 0xDFFF) (Uchar.is_char (Uchar.of_int 255))
    (Uchar.to_char (Uchar.of_int 65)) (Uchar.equal (Uchar.of_char 'a') (Uchar.of_int 97))
    (Uchar.compare Uchar.min Uchar.max)
