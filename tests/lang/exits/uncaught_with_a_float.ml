exception Number of float
let () = raise (Number 3.25)
