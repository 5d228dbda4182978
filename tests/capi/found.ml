external folder : unit -> string = "t_folder"

let () = print_endline (folder ())
