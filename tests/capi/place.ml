external place : unit -> string = "t_place"

let () = print_endline (place ())
