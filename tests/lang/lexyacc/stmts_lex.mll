{
open Stmts
}
rule token = parse
    [' ' '\n'] { token lexbuf }
  | ['a'-'z']+ as s { ID s }
  | ['0'-'9']+ as s { NUM (int_of_string s) }
  | '=' { EQ } | ';' { SEMI } | eof { EOF }
