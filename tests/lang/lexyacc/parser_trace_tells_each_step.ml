(* with: calc_parser.mly calc_lexer.mll *)
(* Parsing.set_trace writes each step to standard error. *)
let () =
  Printf.printf "%b\n%!" (Parsing.set_trace true);
  let parse p s = match p Calc_lexer.token (Lexing.from_string s) with
    | _ -> print_endline "ok" | exception e -> print_endline (Printexc.to_string e) in
  parse Calc_parser.main "1 + 2.5 * foo(3); 1:2;";
  parse Calc_parser.main "1 + ; (2 3) ; 4 +";
  parse Calc_parser.list "1 2 +";
  Printf.printf "%b\n%!" (Parsing.set_trace false);
  parse Calc_parser.main "1;"
