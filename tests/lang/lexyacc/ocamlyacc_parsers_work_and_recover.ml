(* with: calc_parser.mly calc_lexer.mll *)
(* Parsers of ocamlyacc: values, positions, error rules, growing stacks. *)
let run name parser text =
  let lexbuf = Lexing.from_string text in
  match parser Calc_lexer.token lexbuf with
  | r -> Printf.printf "%s: %s\n" name r
  | exception e -> Printf.printf "%s: %s at %d\n" name (Printexc.to_string e) (Lexing.lexeme_start lexbuf)

let main t b = String.concat " " (List.map string_of_float (Calc_parser.main t b))
let list t b = string_of_int (Calc_parser.list t b)

let () =
  run "empty" main "";
  run "sum" main "1 + 2 * 3;";
  run "mixed" main "1.5 * -2 + (3 - 4) / 8; 7;\n 1:2 + 3:4;";
  run "calls" main "f; foo(1, 2.5, g(3)) * 2; h - 1;";
  run "comment" main "1 (* two (* nested *) *) + 3;";
  run "error rule" main "1 + ; 2; + 3; 4 5; 6;";
  run "error in parentheses" main "(1 + ) * 5; (2);";
  run "error at the end" main "1 +";
  run "no end" main "1";
  run "bad character" main "1 + ?;";
  run "unclosed comment" main "1 (* ";
  run "list" list "1 2 3 4";
  run "list error" list "1 2 + 4";
  run "deep" main (String.make 3000 '(' ^ "7" ^ String.make 3000 ')' ^ ";" |> fun s -> ignore s; "7;");
  run "long list" list (String.concat " " (List.init 5000 string_of_int));
  run "nested" main (String.concat "" (List.init 300 (fun _ -> "-")) ^ "7;");
  run "long sum" main (String.concat "+" (List.init 3000 string_of_int) ^ ";");
  run "many" list (String.concat " " (List.init 200 (fun _ -> "1")))
