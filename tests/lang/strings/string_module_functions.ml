let attempt f = try print_endline (f ()) with
  | Invalid_argument s -> print_endline ("Invalid_argument " ^ s)
  | Not_found -> print_endline "Not_found"

let () =
  let open String in
  let s = "Hello, World" in
  List.iter print_endline
    [ uppercase_ascii s; lowercase_ascii s; capitalize_ascii "abc"; uncapitalize_ascii "ABC";
      sub s 7 5; make 3 '-'; init 5 (fun i -> Char.chr (97 + i)); concat ", " [ "a"; "b"; "c" ];
      concat "x" []; trim " \t\n\r\012text \n"; trim "none"; escaped "tab\t nl\n q\" b\\ \127 \200";
      map Char.uppercase_ascii s; mapi (fun i c -> if i mod 2 = 0 then c else '.') s; cat s "!";
      of_seq (Seq.map Char.lowercase_ascii (to_seq s)) ]

let () =
  let open String in
  let s = "Hello, World" in
  Printf.printf "%d %d %d %d\n" (index s 'o') (rindex s 'o') (index_from s 5 'o') (rindex_from s
      5 'o');
  Printf.printf "%b %b %b %b\n" (contains s 'W') (contains_from s 8 'W') (rcontains_from s 3 'H')
    (contains s 'z');
  Printf.printf "%b %b %b %b\n" (starts_with ~prefix:"Hell" s) (ends_with ~suffix:"ld" s)
    (starts_with ~prefix:"" s) (ends_with ~suffix:"longer than the string" s);
  Printf.printf "%d %d %d %b\n" (compare "a" "b") (compare "b" "a") (compare "ab" "abc")
    (equal "x" "x");
  print_endline (concat "|" (split_on_char ',' "a,b,,c,"));
  iter (fun c -> print_char c; print_char ' ') "abc";
  iteri (fun i c -> Printf.printf "%d%c " i c) "xyz";
  Printf.printf "%d\n" (fold_left (fun acc c -> acc + Char.code c) 0 "abc");
  Printf.printf "%d\n" (fold_right (fun c acc -> (acc * 3) + Char.code c) "abc" 0);
  Printf.printf "%b %b\n" (for_all (fun c -> c > 'a') "bcd") (exists (fun c -> c = 'q') "bcd");
  Seq.iter (fun (i, c) -> Printf.printf "%d%c " i c) (to_seqi "seq");
  print_newline ();
  attempt (fun () -> sub s 10 5);
  attempt (fun () -> sub s (-1) 2);
  attempt (fun () -> make (-1) 'x');
  attempt (fun () -> string_of_int (index s 'z'));
  attempt (fun () -> string_of_int (index_from s 50 'z'));
  attempt (fun () -> string_of_int (rindex_from s 50 'z'));
  attempt (fun () -> make 1 (get s 100));
  attempt (fun () -> string_of_bool (contains_from s 100 'z'));
  attempt (fun () -> make max_int 'x');
  Printf.printf "%b %b\n" (index_opt s 'z' = None) (rindex_opt s 'l' = Some 10);
  let b = Bytes.make 5 '.' in
  blit s 0 b 1 3;
  print_endline (Bytes.to_string b)
