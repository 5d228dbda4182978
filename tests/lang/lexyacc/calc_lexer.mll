{
open Calc_parser
exception Bad of char * int
}
let digit = ['0'-'9']
rule token = parse
    [' ' '\t']+          { token lexbuf }
  | '\n'                 { Lexing.new_line lexbuf; token lexbuf }
  | digit+ as n          { INT (int_of_string n) }
  | digit+ '.' digit* (['e' 'E'] ['+' '-']? digit+)? { FLOAT (float_of_string (Lexing.lexeme lexbuf)) }
  | (digit+ as a) ':' (digit+ as b) { PAIR (int_of_string a, int_of_string b) }
  | ['a'-'z']+           { IDENT (Lexing.lexeme lexbuf) }
  | '+'  { PLUS } | '-' { MINUS } | '*' { TIMES } | '/' { DIV }
  | '('  { LPAREN } | ')' { RPAREN } | ';' { SEMI } | ',' { COMMA }
  | "(*"                 { comment 1 lexbuf }
  | eof                  { EOF }
  | _ as c               { raise (Bad (c, Lexing.lexeme_start lexbuf)) }
and comment depth = parse
    "*)"                 { if depth = 1 then token lexbuf else comment (depth - 1) lexbuf }
  | "(*"                 { comment (depth + 1) lexbuf }
  | eof                  { failwith "comment" }
  | _                    { comment depth lexbuf }
