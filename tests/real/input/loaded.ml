type shape = Dot | Line of int
let count = ref 0
let bump () = incr count; !count
let describe = function Dot -> "dot" | Line n -> "line " ^ string_of_int n
let () = print_endline "loaded.cmo is here"
