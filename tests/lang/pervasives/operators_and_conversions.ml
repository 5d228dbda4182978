let () =
  Printf.printf "%b %b %b %b\n" (1 == 1) ("a" == "a") (ref 1 = ref 1) (ref 1 != ref 1);
  Printf.printf "%d %d %d\n" (1 |> succ) (succ @@ 3) (fst (5, 6) + snd (7, 8));
  Printf.printf "%s %s %s\n" (string_of_bool true) (string_of_int (-5)) (string_of_float 2.0);
  Printf.printf "%b %b\n" (bool_of_string "true") (bool_of_string_opt "yes" = None);
  (try ignore (bool_of_string "yes") with Invalid_argument s -> print_endline s);
  Printf.printf "%d %c %g %d\n" (int_of_char 'a') (char_of_int 98) (float_of_int 3) (truncate
      (-2.7));
  (try ignore (char_of_int 256) with Invalid_argument s -> print_endline s);
  Printf.printf "%b %b\n" (int_of_string_opt "12x" = None) (float_of_string_opt "1e3" = Some
      1000.0);
  print_endline ("con" ^ "cat" ^ String.concat "" ([ "x" ] @ [ "y" ]));
  let r = ref 1 in
  incr r; incr r; decr r; r := !r * 10;
  Printf.printf "%d %d %d\n" !r (abs (-3)) (-7 mod 3);
  Printf.printf "%d %d %s\n" (min 1 2) (max 1 2) (max "a" "b");
  ignore (1, "ignored");
  Printf.printf "%s\n" (valid_float_lexem "1" ^ valid_float_lexem "1.5" ^ valid_float_lexem "nan");
  print_endline __MODULE__;
  print_endline (__LOC__ ^ " " ^ __FILE__ ^ " " ^ string_of_int __LINE__);
  let file, line, a, b = __POS__ in
  Printf.printf "%s %d %d %d\n" file line a b;
  print_endline (string_of_format "%d-%s");
  (match Ok 3 with Ok n -> Printf.printf "%d\n" n | Error s -> print_endline s);
  Printf.printf "%b %b\n" (Stdlib.compare (1, 2) (1, 3) < 0) (Stdlib.( <= ) [ 1 ] [ 1; 2 ])
