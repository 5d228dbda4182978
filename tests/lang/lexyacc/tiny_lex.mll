{
open Tiny_calc
}
rule token = parse
    [' ' '\n'] { token lexbuf }
  | ['0'-'9']+ as n { INT (int_of_string n) }
  | ['a'-'z']+ as s { NAME s }
  | '+' { PLUS } | '-' { MINUS } | '*' { TIMES } | '/' { DIV } | '%' { MOD }
  | '(' { LPAREN } | ')' { RPAREN } | ',' { COMMA }
  | eof { EOF }
  | _ as c { failwith (Printf.sprintf "bad character %C at %d" c (Lexing.lexeme_start lexbuf)) }
