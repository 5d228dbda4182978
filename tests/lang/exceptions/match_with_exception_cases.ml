let parse s = match int_of_string s with
  | 0 -> "zero"
  | n when n < 0 -> "negative"
  | _ -> "positive"
  | exception Failure _ -> "not a number"

let rec walk l acc = match List.hd l with
  | x -> walk (List.tl l) (acc + x)
  | exception Failure msg -> Printf.sprintf "%d (%s)" acc msg

let nested f = match (match f () with x -> x * 2 | exception Not_found -> -1) with
  | -1 -> "inner"
  | n -> string_of_int n
  | exception Exit -> "outer"

let () =
  List.iter (fun s -> print_endline (parse s)) [ "0"; "-5"; "17"; "x"; "" ];
  print_endline (walk (List.init 10_000 (fun i -> i)) 0);
  print_endline (nested (fun () -> 21));
  print_endline (nested (fun () -> raise Not_found));
  print_endline (nested (fun () -> raise Exit))
