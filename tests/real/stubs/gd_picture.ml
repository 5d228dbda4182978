(* A picture with lines, shapes and letters: the PNG's bytes, through OCaml's own channel and through a file. *)
let () =
  let image = Gd.create_truecolor ~x:200 ~y:120 in
  let colors = image#colors in
  let red = colors#create ~red:220 ~green:30 ~blue:30 and white = colors#white and blue = colors#blue in
  image#filled_rectangle ~x1:0 ~y1:0 ~x2:199 ~y2:119 white;
  for i = 0 to 19 do image#line ~x1:0 ~y1:(6 * i) ~x2:(10 * i) ~y2:119 red done;
  image#filled_ellipse ~cx:140 ~cy:40 ~w:60 ~h:50 blue;
  image#string ~font:Gd.Font.large ~x:20 ~y:20 ~s:"OCaml" red;
  image#save_as_png "saved.png";
  let oc = open_out_bin "written.png" in
  output_string oc "before ";
  image#out_as_png oc;
  output_string oc " after";
  close_out oc;
  List.iter (fun f -> Printf.printf "%s %s\n" f (Digest.to_hex (Digest.file f))) [ "saved.png"; "written.png" ];
  let back = Gd.open_png "saved.png" in
  Printf.printf "%d %d\n" back#width back#height
