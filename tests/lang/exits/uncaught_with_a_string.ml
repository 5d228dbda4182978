exception Text of string
let () = raise (Text "with \"quotes\" and \n newline \001 and \000 nul")
