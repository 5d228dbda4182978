(* Offsets and lengths of more than 32 bits (#7003, CVE-2015-8869). *)
let () =
  let size = (1 lsl 32) + 100 in
  let big = Bytes.create size in
  List.iter
    (fun at ->
      Bytes.set big at 'a';
      Bytes.blit_string "bcd" 0 big (at + 1) 3;
      Bytes.blit big at big (at + 2) 4;
      Bytes.fill big (at + 6) 2 'z';
      print_endline (Bytes.sub_string big at 8))
    [ 0; (1 lsl 31) - 4; (1 lsl 31) + 1; (1 lsl 32) - 4; (1 lsl 32) + 5; size - 8 ];
  let attempt f = match f () with () -> print_endline "done" | exception Invalid_argument s -> print_endline s in
  attempt (fun () -> Bytes.blit_string "bcd" 0 big (size - 2) 3);
  attempt (fun () -> Bytes.blit big (1 lsl 31) (Bytes.create 3) 0 4);
  attempt (fun () -> Bytes.fill big 1 size 'x');
  attempt (fun () -> ignore (Bytes.sub big (-(1 lsl 32)) 1));
  print_int (Bytes.length big);
  print_newline ()
