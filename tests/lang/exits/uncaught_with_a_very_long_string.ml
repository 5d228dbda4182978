exception Long of string * int
let () = raise (Long (String.make 600 'x', 1))
