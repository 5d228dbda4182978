{ type t = Roman of string | Arabic of int | Word of string | End }
rule roman = parse
    (('M' 'M'? 'M'?)? ("CM" | "CD" | 'D'? 'C'? 'C'? 'C'?) ("XC" | "XL" | 'L'? 'X'? 'X'? 'X'?)
     ("IX" | "IV" | 'V'? 'I'? 'I'? 'I'?)) as r ' ' { Roman r }
  | ['0'-'9'] (['0'-'9']* as rest) { Arabic (String.length rest + 1) }
  | (['a'-'f']# 'c')+ as w { Word w }
  | [^ 'a'-'z' '0'-'9' 'I' 'V' 'X' 'L' 'C' 'D' 'M' ' '] { roman lexbuf }
  | ' ' { roman lexbuf }
  | eof { End }
and pairs a b = parse
    (_ as x) (_ as y) "end" { (a, b, x, y) }
  | ("if" | "then" | "else") { pairs b a lexbuf }
