#use "topfind";;
#require "re, str unix";;
let words = Re.(compile (rep1 alpha)) and blank = Str.regexp " +"
let text = "  one two   three"
let () =
  List.iter print_endline (Re.matches words text);
  print_int (List.length (Str.split blank text));
  print_endline (if Unix.getpid () > 0 then " words" else "")
