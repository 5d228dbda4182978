(* flags: -I +str *)
(* libs: str.cma *)
(* Str's matcher, in C: classes, groups, repetition, anchors, words; searching, splitting, replacing. *)
open Str

let () =
  let r = regexp "\\([a-z]+\\)=\\([0-9]*\\);?" in
  let s = "key=12;other=;third=345" in
  let rec all from =
    match search_forward r s from with
    | i ->
      Printf.printf "%d-%d %s:%s\n" i (match_end ()) (matched_group 1 s) (matched_group 2 s);
      all (match_end ())
    | exception Not_found -> () in
  all 0;
  Printf.printf "%d %s\n" (search_backward (regexp "[a-z]+") s 15) (matched_string s);
  Printf.printf "%b %b %b\n" (string_match (regexp "a\\|b*c$") "bbbc" 0) (string_match (regexp "^b") "ab" 1)
    (string_match (regexp "^b") "a\nb" 2);
  Printf.printf "%b %d\n" (string_partial_match (regexp "abcd") "xab" 1) (match_end ());
  List.iter (fun x -> Printf.printf "[%s]" x) (split (regexp "[ \t]+") "  a b\t\tc ");
  List.iter (fun x -> Printf.printf "<%s>" x) (split_delim (regexp ",") ",a,,b,");
  List.iter (function Text t -> Printf.printf "T%s " t | Delim d -> Printf.printf "D%s " d)
    (full_split (regexp "[{}]") "{a}{b");
  print_newline ();
  print_endline (global_replace (regexp "\\([a-z]\\)\\([a-z]\\)") "\\2\\1\\\\" "abcde");
  print_endline (replace_first (regexp_case_fold "B+") "<\\0>" "abBbc");
  print_endline (global_substitute (regexp "[0-9]+") (fun s -> string_of_int (2 * int_of_string (matched_string s))) "1 20 x300");
  print_endline (replace_matched "\\1" (ignore (string_match (regexp "x\\(y*\\)") "xyyy" 0); "xyyy"));
  (try print_endline (matched_group 3 s) with Invalid_argument m -> print_endline m);
  (try ignore (replace_first (regexp "a") "\\3" "a") with Failure m -> print_endline m);
  List.iter (fun p -> try ignore (regexp p); Printf.printf "%s: fine\n" p with Failure m -> Printf.printf "%s: %s\n" p m)
    ["[a"; "\\(a"; "a\\)"; "*a"; "a**"; "[]-a]"; "\\"];
  Printf.printf "%b %b\n" (string_match (regexp "\\bword\\b") "a word b" 2) (string_match (regexp "\\(ab\\)\\1") "abab" 0);
  Printf.printf "%s %s %S %S\n" (quote "a.b*[c]^$\\") (first_chars "abc" 2) (string_before "abc" 1) (last_chars "abc" 2);
  let long = String.concat "" (List.init 2000 (fun i -> string_of_int i ^ ",")) in
  Printf.printf "%d\n" (List.length (split (regexp_string ",") long));
  let classes = regexp "[^a-c\128-\255]+" in
  Printf.printf "%b %S\n" (string_match classes "xyz\129" 0) (matched_string "xyz\129")
