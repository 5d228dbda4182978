exception E of int * string * float * (int -> int) * char * int64 * (int * int) * string list * exn * bool

let () = at_exit (fun () -> print_endline "at exit")
let () = at_exit (fun () -> raise Exit)
let () = raise (E (-5, "a\"b\n\000c", 1.5, succ, 'x', 3L, (1, 2), [ "l" ], Not_found, true))
