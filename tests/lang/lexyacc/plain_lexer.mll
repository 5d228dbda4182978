{ }
rule words = parse
    ['a'-'z' '_']+       { "w:" ^ Lexing.lexeme lexbuf }
  | ['0'-'9']+           { "n:" ^ Lexing.lexeme lexbuf }
  | ['\128'-'\255']+     { "h:" ^ Lexing.lexeme lexbuf }
  | "abc" "def"* "x"     { "x:" ^ Lexing.lexeme lexbuf }
  | [' ' '\n']           { "s" }
  | eof                  { "" }
and only_a = parse
    'a'                  { 1 }
and fields = parse
    ([^ ',' '\n']* as f) ','? (' '* as pad) { (f, pad, Lexing.lexeme_start lexbuf, Lexing.lexeme_end lexbuf) }
and optional = parse
    'k' (['0'-'9']+ as v)? ('=' (['a'-'z']+ as w))? { (v, w) }
and briefly = shortest
    'a'+                 { Lexing.lexeme lexbuf }
  | 'b' (_* as r) 'c'    { r }
