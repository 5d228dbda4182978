let rec loop1 n = if n = 0 then "done1" else loop1 (n - 1)
let rec loop3 n a b = if n = 0 then Printf.sprintf "done3 %d %d" a b else loop3 (n - 1) b a

let rec loop6 n a b c d e =
  if n = 0 then Printf.sprintf "done6 %d%d%d%d%d" a b c d e else loop6 (n - 1) b c d e a

let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)

let rec with_continuation n k = if n = 0 then k 0 else with_continuation (n - 1) (fun x -> k (x +
    1))

let () =
  print_endline (loop1 3_000_000);
  print_endline (loop3 2_000_001 1 2);
  print_endline (loop6 2_000_001 1 2 3 4 5);
  Printf.printf "%b\n" (even 2_000_001);
  Printf.printf "%d\n" (with_continuation 10_000 (fun x -> x))
