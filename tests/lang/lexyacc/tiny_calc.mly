%{
let apply name args = match name, args with
  | "abs", [ x ] -> abs x
  | "max", [ x; y ] -> max x y
  | _ -> failwith ("unknown function " ^ name)
%}
%token <int> INT
%token <string> NAME
%token PLUS MINUS TIMES DIV MOD LPAREN RPAREN COMMA EOF
%left PLUS MINUS
%left TIMES DIV MOD
%nonassoc UMINUS
%start main
%type <int> main
%%
main: expr EOF { $1 };
expr:
    INT { $1 }
  | LPAREN expr RPAREN { $2 }
  | expr PLUS expr { $1 + $3 }
  | expr MINUS expr { $1 - $3 }
  | expr TIMES expr { $1 * $3 }
  | expr DIV expr { $1 / $3 }
  | expr MOD expr { $1 mod $3 }
  | MINUS expr %prec UMINUS { - $2 }
  | NAME LPAREN args RPAREN { apply $1 (List.rev $3) }
;
args:
    expr { [ $1 ] }
  | args COMMA expr { $3 :: $1 }
;
