module Twice = Shapes.Scaled (struct let factor = 2.0 end)

let () =
  let open Shapes in
  let g = Group [ make_circle 1.0; Rectangle { w = 2.0; h = 3.5 }; Group [ Circle 0.5 ] ] in
  Printf.printf "%s %.3f %.3f\n" (to_string g) (area g) (area (Twice.scale g));
  let c = new counter in
  c#see g;
  Printf.printf "%d shapes\n" c#count;
  let q = List.fold_left (fun q n -> Queue2.push n q) Queue2.empty [ 1; 2; 3; 4 ] in
  Printf.printf "%d %s %s\n" (Queue2.sum q) (Queue2.name 2) (Queue2.name 77);
  Array.iteri (fun i a -> if i > 0 then print_endline a) Sys.argv;
  ignore (make_circle (-1.0))
