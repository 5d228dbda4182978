let describe (x : float) (y : float) =
  let r = ref [] in
  if x < y then r := "lt" :: !r;
  if x > y then r := "gt" :: !r;
  if x <= y then r := "le" :: !r;
  if x >= y then r := "ge" :: !r;
  if x = y then r := "eq" :: !r;
  if x <> y then r := "ne" :: !r;
  if not (x < y) then r := "nlt" :: !r;
  if not (x >= y) then r := "nge" :: !r;
  String.concat " " (List.rev !r)

let () =
  let vs = [ 0.0; -0.0; 1.0; nan; infinity ] in
  List.iter (fun x -> List.iter (fun y -> print_endline (describe x y)) vs) vs;
  let lo = min nan 1.0 and hi = max 1.0 nan in
  Printf.printf "%h %h %h %h\n" lo hi (min 0.0 (-0.0)) (max 2.0 3.0)
