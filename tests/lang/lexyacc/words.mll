{
type t = Eof | Word of string | Number of string * string option | Text of string
}
let digit = ['0'-'9']
rule token = parse
    '\n' { Lexing.new_line lexbuf; token lexbuf }
  | [' ' '\t']+ { token lexbuf }
  | ['a'-'z' 'A'-'Z']+ { Word (Lexing.lexeme lexbuf) }
  | (digit+ as a) ('.' (digit* as b))? { Number (a, b) }
  | '"' { let b = Buffer.create 10 in text b lexbuf }
  | "(*" { comment 1 lexbuf; token lexbuf }
  | eof { Eof }
and text buffer = parse
    '"' { Text (Buffer.contents buffer) }
  | '\\' (_ as c) { Buffer.add_char buffer c; text buffer lexbuf }
  | [^ '"' '\\']+ as s { Buffer.add_string buffer s; text buffer lexbuf }
and comment depth = parse
    "(*" { comment (depth + 1) lexbuf }
  | "*)" { if depth > 1 then comment (depth - 1) lexbuf }
  | _ { comment depth lexbuf }
