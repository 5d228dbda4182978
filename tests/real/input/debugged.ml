type shape = { name : string; sides : int; lengths : float list; next : shape option }

let perimeter shape =
  let total = List.fold_left ( +. ) 0. shape.lengths in
  print_endline shape.name;
  total *. float_of_int shape.sides

let square = { name = "square"; sides = 4; lengths = [ 1.5 ]; next = None }
let () = print_float (perimeter { square with name = "cube"; next = Some square })
