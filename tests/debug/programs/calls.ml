let add k = fun x -> x + k

let f g y =
  let z = g y in
  let w = [z; y] in
  List.length w + z

let twice g = fun x -> g (g x)
let unary x = if x > 0 then (fun y z -> x + y + z) else (fun y z -> y - z)

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let counter start =
  let n = ref start in
  let rec up k = if k = 0 then !n else (incr n; up (k - 1))
  and down k = if k = 0 then !n else (decr n; down (k - 1)) in
  (up, down)

let () =
  print_int (f (add 10) 32);
  print_newline ();
  print_int (twice (add 3) 1 + unary 1 2 3);
  print_newline ();
  print_endline (string_of_bool (even 4));
  let up, down = counter 5 in
  print_int (up 3 - down 2);
  print_newline ();
  if Array.length Sys.argv > 1 then failwith Sys.argv.(1)
