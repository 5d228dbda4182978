let group base =
  let rec a n = if n <= 0 then [ base ] else n :: b (n - 1)
  and b n = if n <= 0 then [ base + 1 ] else (n * 10) :: c (n - 2)
  and c n = if n <= 0 then [ base + 2 ] else (n * 100) :: d (n - 1)
  and d n = if n <= 0 then [ base + 3 ] else (n * 1000) :: a (n - 1) in
  [ a; b; c; d ]

let show l = String.concat " " (List.map string_of_int l)

let () =
  List.iter (fun f -> print_endline (show (f 9))) (group 500);
  let rec f x = if x = 0 then g else f (x - 1)
  and g y = if y = 0 then 0 else 1 + g (y - 1) in
  Printf.printf "%d\n" (f 10 20);
  (* Functions of a group escape as values and still find their siblings. *)
  let rec ping n acc = if n = 0 then acc else pong (n - 1) ("ping" :: acc)
  and pong n acc = if n = 0 then acc else ping (n - 1) ("pong" :: acc) in
  let escaped = [| ping; pong |] in
  Gc.full_major ();
  print_endline (String.concat "," (escaped.(1) 5 []))
