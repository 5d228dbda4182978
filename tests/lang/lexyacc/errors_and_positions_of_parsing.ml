(* with: stmts.mly stmts_lex.mll *)
let run s =
  let lexbuf = Lexing.from_string s in
  (match Stmts.program Stmts_lex.token lexbuf with
   | l -> List.iter print_endline l
   | exception Parsing.Parse_error -> print_endline "Parse_error");
  print_endline "--"

let () =
  List.iter run
    [ "a = 1; b = 2;"; "a = ; b = 2;"; "a = 1 b = 2; c = 3;"; "= = =; d = 4;"; ""; "x = 1";
        "a = 1; ; c = 3;" ];
  ignore (Parsing.set_trace false);
  Printf.printf "%b\n" (Parsing.set_trace false)
