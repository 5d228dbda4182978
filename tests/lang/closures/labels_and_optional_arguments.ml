let box ?(width = 10) ?height ~title () =
  let height = match height with None -> "auto" | Some h -> string_of_int h in
  Printf.sprintf "%s:%dx%s" title width height

let apply f = f ~x:1 ~y:2
let fold ~f ~init l = List.fold_left (fun acc x -> f ~acc x) init l
let opt ?a ?b c = (a, b, c)

let show = function None -> "-" | Some s -> s

let () =
  print_endline (box ~title:"t" ());
  print_endline (box ~width:3 ~title:"t" ());
  print_endline (box ~height:4 ~title:"u" ());
  print_endline (box ?width:None ?height:(Some 9) ~title:"v" ());
  let later = box ~title:"later" in
  print_endline (later ~height:1 ());
  print_endline (later ());
  Printf.printf "%d\n" (apply (fun ~x ~y -> (x * 10) + y));
  Printf.printf "%d\n" (fold ~init:0 ~f:(fun ~acc x -> (acc * 2) + x) [ 1; 0; 1; 1 ]);
  let a, b, c = opt ~b:"b" "c" in
  Printf.printf "%s %s %s\n" (show a) (show b) c;
  print_endline (String.concat " " (List.map (fun (a, b, c) -> show a ^ show b ^ c)
                                      (List.map (opt ?a:(Some "z") ?b:None) [ "1"; "2" ])))
