(* env: OCAMLRUNPARAM=p *)
(* with: calc_parser.mly calc_lexer.mll *)
let () = print_endline (string_of_int (Calc_parser.list Calc_lexer.token (Lexing.from_string "1 2 3")))
