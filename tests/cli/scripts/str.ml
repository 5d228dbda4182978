(* A script may have the name of a library that it uses. *)
#use "topfind";;
#require "str";;

let words = Str.split (Str.regexp "[ ,]+") "one, two three"
let () = List.iteri (fun i word -> Printf.printf "%d %s\n" i word) words
