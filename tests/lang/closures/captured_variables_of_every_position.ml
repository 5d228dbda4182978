let make a b c d e f g h =
  let k1 () = a in
  let k2 () = a + b in
  let k5 x = a + b + c + d + e + x in
  let k8 x y = [ a; b; c; d; e; f; g; h; x; y ] in
  (k1, k2, k5, k8)

let counter () =
  let n = ref 0 in
  let next () = incr n; !n in
  let reset () = n := 0 in
  (next, reset)

let () =
  let k1, k2, k5, k8 = make 1 2 3 4 5 6 7 8 in
  Printf.printf "%d %d %d\n" (k1 ()) (k2 ()) (k5 100);
  print_endline (String.concat "," (List.map string_of_int (k8 9 10)));
  let next, reset = counter () and other, _ = counter () in
  ignore (next ());
  ignore (next ());
  Printf.printf "%d %d\n" (next ()) (other ());
  reset ();
  Printf.printf "%d %d\n" (next ()) (other ());
  let fs = Array.init 5 (fun i -> fun j -> (i * 10) + j) in
  Array.iter (fun f -> Printf.printf "%d " (f 7)) fs;
  print_newline ()
