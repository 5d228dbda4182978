let () = print_string "before"
let inner n = if n > 0 then failwith "planned" else 1
let () = print_int (1 + inner (Array.length Sys.argv))
