(* ocaml5: no: it has no Genlex *)
let lexer = Genlex.make_lexer [ "+"; "-"; "("; ")"; "let"; "in"; "=" ]

let show = function
  | Genlex.Kwd s -> "K:" ^ s
  | Ident s -> "I:" ^ s
  | Int n -> "N:" ^ string_of_int n
  | Float f -> "F:" ^ string_of_float f
  | String s -> "S:" ^ String.escaped s
  | Char c -> "C:" ^ Char.escaped c

let run text =
  (try Stream.iter (fun t -> print_string (show t ^ " ")) (lexer (Stream.of_string text)) with
   | Stream.Error m -> Printf.printf "Stream.Error %s" m
   | Stream.Failure -> print_string "Stream.Failure");
  print_newline ()

let () =
  List.iter run
    [ "let x = 1 + 2.5e3 in (x - -3)"; "\"str\\n\\065\" 'c' '\\n' ident_1 '";
        "(* comment (* nested *) *) x";
      "a == b"; "12abc 1.x -x"; "\"unterminated"; "'ab'"; "++ <=>"; "" ]
