%token <int> INT
%token <string> STRING
%token <float> FLOAT
%token <int list> LIST
%token COMMA STOP
%start all
%type <int> all
%%
all: items STOP { $1 }
   | error STOP { -1 }
items: item { 1 }
     | items COMMA item { $1 + 1 }
item: INT {} | STRING {} | FLOAT {} | LIST {}
