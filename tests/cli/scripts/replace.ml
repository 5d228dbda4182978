#load "str.cma";;
let rename = Str.global_replace (Str.regexp "\\([a-z]+\\)_\\([a-z]+\\)") "\\2_\\1"
let () = List.iter (fun s -> print_endline (rename s)) ["left_right"; "a_b c_d"; "none"]
