exception Code of int
let () = raise (Code (-17))
