(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* BT1: traces longer than the buffer *)
let rec down n = if n = 0 then failwith "bottom" else 1 + down (n - 1)
let rec down_trapped n =
  if n = 0 then failwith "bottom"
  else try 1 + down_trapped (n - 1) with Not_found -> 0

let lines s = List.filter (( <> ) "") (String.split_on_char '\n' s)

let show f n =
  try ignore (f n)
  with Failure _ ->
    let l = lines (Printexc.get_backtrace ()) in
    Printf.printf "%d\n" (List.length l);
    List.iteri (fun i s -> if i < 4 || i > List.length l - 3 then print_endline s) l

let () =
  show down 5;
  show down 2000;
  show down_trapped 5;
  show down_trapped 600;
  show down_trapped 2000

let rec even n = if n = 0 then raise Exit else odd (n - 1) && true
and odd n = if n = 0 then raise Not_found else even (n - 1) || false

let () =
  try ignore (even 7) with e -> print_endline (Printexc.to_string e); Printexc.print_backtrace stdout

let () =
  let rec forever n = 1 + forever (n + 1) in
  try ignore (forever 0)
  with Stack_overflow ->
    let l = lines (Printexc.get_backtrace ()) in
    Printf.printf "%d %s\n" (List.length l) (List.hd l)
