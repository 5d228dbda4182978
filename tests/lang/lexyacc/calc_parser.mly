/* A calculator with an error rule, precedences, an empty production and positions. */
%{
let position i = (Parsing.rhs_start i, Parsing.rhs_end i)
let show name = Printf.printf "%s %d-%d\n" name (Parsing.symbol_start ()) (Parsing.symbol_end ())
%}
%token <int> INT
%token <float> FLOAT
%token <string> IDENT
%token <int * int> PAIR
%token PLUS MINUS TIMES DIV LPAREN RPAREN SEMI COMMA EOF
%left PLUS MINUS
%left TIMES DIV
%nonassoc UMINUS
%start main
%start list
%type <float list> main
%type <int> list
%%
main:
    EOF                 { [] }
  | statement SEMI main { $1 :: $3 }
;
statement:
    expr                { show "statement"; $1 }
  | error               { show "error"; nan }
;
expr:
    INT                 { float_of_int $1 }
  | FLOAT               { $1 }
  | IDENT args          { let a, b = position 2 in Printf.printf "call %s with %d at %d-%d\n" $1 (List.length $2) a b;
                          List.fold_left (+.) (float_of_int (String.length $1)) $2 }
  | PAIR                { float_of_int (fst $1 + snd $1) }
  | expr PLUS expr      { $1 +. $3 }
  | expr MINUS expr     { $1 -. $3 }
  | expr TIMES expr     { $1 *. $3 }
  | expr DIV expr       { $1 /. $3 }
  | MINUS expr %prec UMINUS { -. $2 }
  | LPAREN expr RPAREN  { show "paren"; $2 }
  | LPAREN error RPAREN { show "bad paren"; 0. }
;
args:
                        { show "empty"; [] }
  | LPAREN arg_list RPAREN { List.rev $2 }
;
arg_list:
    expr                { [ $1 ] }
  | arg_list COMMA expr { $3 :: $1 }
;
list:
    EOF                 { 0 }
  | INT list            { $1 + $2 }
;
%%
