exception Many of int * string * float * int list * (int -> int) * char * bool * unit
let () = raise (Many (1, "s", 2.5, [ 3 ], succ, 'c', true, ()))
