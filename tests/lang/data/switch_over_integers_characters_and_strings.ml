let digit = function
  | 0 -> "zero" | 1 -> "one" | 2 -> "two" | 3 -> "three" | 4 -> "four" | 5 -> "five" | 100 ->
      "hundred"
  | 1000 -> "thousand" | -1 -> "minus one" | n when n < 0 -> "negative" | _ -> "many"

let kind = function
  | 'a' .. 'z' -> "lower" | 'A' .. 'Z' -> "upper" | '0' .. '9' -> "digit" | ' ' | '\t' -> "blank"
  | '\n' -> "newline" | '\128' .. '\255' -> "high" | _ -> "other"

let keyword = function
  | "let" -> 1 | "in" -> 2 | "match" -> 3 | "with" -> 4 | "function" -> 5 |
      "a_rather_long_keyword" -> 6
  | "a_rather_long_keyworD" -> 7 | "" -> 8 | "\000" -> 9 | "\000\000" -> 10 | "eightchr" -> 11
  | "sevench" -> 12 | "ninechars" -> 13 | _ -> 0

let boxed = function 1L -> "one" | 0x100000000L -> "2^32" | _ -> "?"
let real = function 1.5 -> "1.5" | 0.0 -> "0" | _ -> "?"

let () =
  List.iter (fun n -> print_endline (digit n)) [ 0; 1; 5; 6; 100; 101; 1000; -1; -2; max_int;
      min_int ];
  for c = 0 to 255 do if c mod 13 = 0 then print_string (kind (Char.chr c) ^ " ") done;
  List.iter (fun s -> Printf.printf "%d " (keyword s))
    [ "let"; "in"; "match"; "with"; "function"; "a_rather_long_keyword"; "a_rather_long_keyworD";
        "";
      "\000"; "\000\000"; "\000\000\000"; "eightchr"; "sevench"; "ninechars"; "lets"; "le"; "zzz" ];
  Printf.printf "%s %s %s %s %s\n" (boxed 1L) (boxed 4294967296L) (boxed 2L) (real 1.5) (real
      (-0.0))
