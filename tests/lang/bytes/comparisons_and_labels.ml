let () =
  let module B = StdLabels.Bytes in
  let b = B.make 6 'a' in
  B.fill b ~pos:1 ~len:2 'b';
  B.blit ~src:(B.of_string "xyz") ~src_pos:0 ~dst:b ~dst_pos:3 ~len:3;
  print_endline (B.to_string b);
  print_endline (B.sub_string b ~pos:2 ~len:3);
  B.iteri b ~f:(fun i c -> Printf.printf "%d%c " i c);
  print_endline (B.to_string (B.concat ~sep:(B.of_string "+") [ b; b ]));
  let vs = List.map Bytes.of_string [ ""; "a"; "b"; "ab"; "a\000" ] in
  List.iter (fun x ->
      List.iter (fun y ->
          Printf.printf "%d %b %b %b %b;" (Bytes.compare x y) (x = y) (x < y) (x >= y) (x <> y)) vs;
      print_newline ()) vs
