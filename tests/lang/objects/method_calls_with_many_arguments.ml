class k = object (self)
  method m0 = 0
  method m1 (a : int) = a
  method m2 a b = (a * 10) + b
  method m3 a b c = (self#m2 a b * 10) + c
  method m4 a b c d = (self#m3 a b c * 10) + d
  method m7 a b c d e f g = (self#m4 a b c d * 1000) + self#m3 e f g
  method private hidden x = x + 1
  method call n = self#hidden n
  method f = fun x y -> x - y
end

let () =
  let o = new k in
  Printf.printf "%d %d %d %d %d %d %d\n" o#m0 (o#m1 1) (o#m2 1 2) (o#m3 1 2 3) (o#m4 1 2 3 4)
    (o#m7 1 2 3 4 5 6 7) (o#call 1);
  let p = o#m7 1 2 in
  Printf.printf "%d\n" (p 3 4 5 6 7);
  Printf.printf "%d\n" (o#f 10 3);
  List.iter (Printf.printf "%d ") (List.map (o#m2 5) [ 1; 2; 3 ]);
  print_newline ()
