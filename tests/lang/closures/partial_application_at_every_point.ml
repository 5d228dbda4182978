let f8 a b c d e f g h =
  Printf.printf "%d%d%d%d%d%d%d%d\n" a b c d e f g h;
  a + b + c + d + e + f + g + h

let unknown f = !(ref f)

let () =
  let f = unknown f8 in
  let a = f 1 in
  let b = a 2 3 in
  let c = b 4 in
  let d = c 5 6 7 in
  print_endline (string_of_int (d 8));
  print_endline (string_of_int (d 9));
  print_endline (string_of_int (c 0 0 0 0));
  print_endline (string_of_int (b 1 1 1 1 1));
  print_endline (string_of_int (a 9 8 7 6 5 4 3));
  let one_by_one = ((((((f 1) 2) 3) 4) 5) 6) 7 in
  print_endline (string_of_int (one_by_one 8));
  let all_at_once = List.map (f 0 0 0 0 0 0 0) [ 1; 2; 3 ] in
  List.iter (Printf.printf "%d;") all_at_once;
  print_newline ()
