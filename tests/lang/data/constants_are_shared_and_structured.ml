let f () = [ 1; 2; 3 ]
let g () = ("constant", 1.5, [| "x" |], 'c', Some (Some 3), 12345678901L)
let h () = "literal"
type r = { a : int; b : string list; c : (int * float) }
let k () = { a = 1; b = [ "p"; "q" ]; c = (2, 3.5) }

let () =
  Printf.printf "%b %b %b\n" (f () == f ()) (h () == h ()) (k () == k ());
  let s, x, a, c, o, l = g () in
  Printf.printf "%s %g %s %c %Ld\n" s x a.(0) c l;
  (match o with Some (Some n) -> Printf.printf "%d\n" n | _ -> ());
  let r = k () in
  Printf.printf "%d %s %d %g\n" r.a (String.concat "," r.b) (fst r.c) (snd r.c);
  let again = { r with a = 2 } in
  Printf.printf "%b %b\n" (again.b == r.b) (again == r)
