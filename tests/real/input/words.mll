{
open Lexing
let keywords = Hashtbl.create 7
let () = List.iter (fun (k, v) -> Hashtbl.add keywords k v) [ "let", 1; "in", 2; "fun", 3 ]
exception Bad of char * int
}
let letter = ['a'-'z' 'A'-'Z' '_']
let digit = ['0'-'9']
let ident = letter (letter | digit | '\'')*
rule token = parse
    [' ' '\t' '\r']+ { token lexbuf }
  | '\n' { new_line lexbuf; token lexbuf }
  | ident as id { try `Keyword (Hashtbl.find keywords id) with Not_found -> `Ident id }
  | (digit+ as whole) ('.' (digit+ as part))? (['e' 'E'] (['+' '-']? digit+ as power))?
      { `Number (whole, part, power) }
  | "(*" { comment [ lexeme_start_p lexbuf ] lexbuf }
  | '"' { `String (string (Buffer.create 16) lexbuf) }
  | "->" | "=>" | ":=" | "<-" as op { `Op op }
  | ['+' '-' '*' '/' '=' '<' '>'] as c { `Char c }
  | eof { `Eof }
  | _ as c { raise (Bad (c, lexeme_start lexbuf)) }
and comment stack = shortest
    "(*" { comment (lexeme_start_p lexbuf :: stack) lexbuf }
  | "*)" { match stack with [ _ ] | [] -> token lexbuf | _ :: rest -> comment rest lexbuf }
  | '\n' { new_line lexbuf; comment stack lexbuf }
  | eof { `Unclosed stack }
  | _ { comment stack lexbuf }
and string buffer = parse
    '"' { Buffer.contents buffer }
  | '\\' (['n' 't' 'r' '\\' '"'] as c) { Buffer.add_char buffer c; string buffer lexbuf }
  | '\\' (digit digit digit as code)
      { Buffer.add_char buffer (Char.chr (int_of_string code)); string buffer lexbuf }
  | [^ '"' '\\' '\n']+ as s { Buffer.add_string buffer s; string buffer lexbuf }
