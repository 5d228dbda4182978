let p b = print_endline (String.escaped (Bytes.to_string b))
let attempt f = try p (f ()) with
  | Invalid_argument s -> print_endline ("Invalid_argument " ^ s)
  | Not_found -> print_endline "Not_found"

let () =
  let open Bytes in
  let s = of_string "Hello, World" in
  List.iter p
    [ uppercase_ascii s; lowercase_ascii s; capitalize_ascii (of_string "abc"); make 3 'z'; empty;
      uncapitalize_ascii s; sub s 7 5; init 4 (fun i -> Char.chr (48 + i)); copy s;
      concat (of_string "-") [ s; empty; of_string "x" ]; cat s s; trim (of_string "  t ");
          escaped s;
      sub (extend s 2 (-3)) 2 9; map Char.uppercase_ascii s; mapi (fun i _ -> Char.chr (65 + i)) s;
      of_seq (to_seq s); of_string (sub_string s 0 4) ];
  let b = make 8 '.' in
  set b 0 'a'; unsafe_set b 7 'z'; fill b 2 3 '#'; p b;
  blit s 0 b 1 4; p b;
  blit b 0 b 2 5; p b;
  blit b 2 b 0 5; p b;
  blit_string "STRING" 2 b 4 3; p b;
  Printf.printf "%c %c %d\n" (get b 0) (unsafe_get b 1) (length b);
  Printf.printf "%d %d %b %b\n" (index s 'o') (rindex s 'o') (contains s 'W') (contains s 'q');
  Printf.printf "%d %b %d\n" (compare s b) (equal s s) (Hashtbl.hash s);
  Printf.printf "%b %b\n" (starts_with ~prefix:(of_string "He") s) (ends_with ~suffix:(of_string
      "d") s);
  print_endline (String.concat "|" (List.map to_string (split_on_char 'o' s)));
  iter print_char s; iteri (fun i c -> if i < 3 then print_char c) s; print_newline ();
  Printf.printf "%d %d %b %b\n" (fold_left (fun n c -> n + Char.code c) 0 s)
    (fold_right (fun c n -> n * 2 + Char.code c) (sub s 0 3) 0) (for_all (fun c -> c < '{') s)
    (exists (( = ) ',') s);
  print_endline (unsafe_to_string (unsafe_of_string "unsafe"));
  attempt (fun () -> sub s 10 5); attempt (fun () -> create (-1));
      attempt (fun () -> make (-1) 'x');
  attempt (fun () -> set s 12 'x'; s); attempt (fun () -> make 1 (get s (-1)));
  attempt (fun () -> fill s 10 5 'x'; s); attempt (fun () -> blit s 0 b 5 9; b);
  attempt (fun () -> blit_string "abc" 1 b 0 3; b); attempt (fun () -> extend s (-20) 2);
  attempt (fun () -> make (index s 'q') 'x'); attempt (fun () -> create (Sys.max_string_length + 1))
