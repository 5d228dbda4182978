%{
let where () = Printf.sprintf "[%d-%d]" (Parsing.symbol_start ()) (Parsing.symbol_end ())
let parse_error s = print_endline ("reported: " ^ s)
%}
%token <string> ID
%token <int> NUM
%token EQ SEMI EOF
%start program
%type <string list> program
%%
program: stmts EOF { List.rev $1 };
stmts:
    /* empty */ { [] }
  | stmts stmt { $2 :: $1 }
;
stmt:
    ID EQ NUM SEMI
      { Printf.sprintf "%s=%d %s id at %d, number ends at %d, line %d" $1 $3 (where ())
          (Parsing.rhs_start 1)
          (Parsing.rhs_end 3) (Parsing.rhs_start_pos 1).Lexing.pos_lnum }
  | error SEMI { "error " ^ where () }
;
