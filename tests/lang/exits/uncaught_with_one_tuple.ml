exception Pair of (int * string)
let () = raise (Pair (1, "one"))
