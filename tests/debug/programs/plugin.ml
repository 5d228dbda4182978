let rec power b = function
  | 0 -> 1
  | n -> b * power b (n - 1)

let () = print_int (power 2 5); print_newline ()
