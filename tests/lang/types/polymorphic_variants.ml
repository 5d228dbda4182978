type colour = [ `Red | `Green | `Rgb of int * int * int ]
type extended = [ colour | `Named of string ]

let name : [< extended ] -> string = function
  | `Red -> "red"
  | `Green -> "green"
  | `Rgb (r, g, b) -> Printf.sprintf "#%02x%02x%02x" r g b
  | `Named s -> s

let open_ended = function `A -> 1 | `B n -> n | _ -> -1

let narrow : extended -> colour option = function #colour as c -> Some c | `Named _ -> None

let () =
  List.iter (fun c -> print_endline (name c)) [ `Red; `Green; `Rgb (1, 2, 255); `Named "x" ];
  Printf.printf "%d %d %d %d\n" (open_ended `A) (open_ended (`B 5)) (open_ended `C) (open_ended
      (`D "x"));
  Printf.printf "%b %b\n" (narrow `Red = Some `Red) (narrow (`Named "q") = None);
  Printf.printf "%d %d %d\n" (Obj.magic `Red) (Obj.magic `Green) (Obj.magic `A);
  Printf.printf "%d %b\n" (compare `A `B) (`X 1 = `X 1);
  let many = [ `T0; `T1; `T2; `T3; `T4; `T5; `T6; `T7; `T8; `T9; `T10; `T11 ] in
  let number = function
    | `T0 -> 0 | `T1 -> 1 | `T2 -> 2 | `T3 -> 3 | `T4 -> 4 | `T5 -> 5 | `T6 -> 6 | `T7 -> 7 | `T8
        -> 8
    | `T9 -> 9 | `T10 -> 10 | `T11 -> 11
  in
  List.iter (fun t -> Printf.printf "%d " (number t)) many;
  List.iter (fun t -> Printf.printf "%d " (number t)) (List.sort compare many);
  print_newline ()
