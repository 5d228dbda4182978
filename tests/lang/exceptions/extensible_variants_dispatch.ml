type shape = ..
type shape += Circle of float | Square of float
type shape += Empty

module Extra = struct
  type shape += Rect of float * float
  type shape += Circle of int
end

let area = function
  | Circle r -> 3.0 *. r *. r
  | Square s -> s *. s
  | Extra.Rect (a, b) -> a *. b
  | Extra.Circle n -> float_of_int n
  | Empty -> 0.0
  | _ -> -1.0

type shape += Late

let () =
  List.iter (fun s -> Printf.printf "%g " (area s))
    [ Circle 1.0; Square 2.0; Extra.Rect (2.0, 4.0); Extra.Circle 9; Empty; Late ];
  print_newline ();
  Printf.printf "%b %b %b\n" (Empty = Empty) (Circle 1.0 = Circle 1.0) (Circle 1.0 = Square 1.0);
  print_endline (Obj.Extension_constructor.name (Obj.Extension_constructor.of_val (Circle 1.0)));
  print_endline (Obj.Extension_constructor.name (Obj.Extension_constructor.of_val Empty));
  Printf.printf "%b\n"
    (Obj.Extension_constructor.id (Obj.Extension_constructor.of_val Empty)
     < Obj.Extension_constructor.id (Obj.Extension_constructor.of_val Late))
