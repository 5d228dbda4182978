let rec f x = 1 + f (x + 1)
let () = print_int (f 0)
