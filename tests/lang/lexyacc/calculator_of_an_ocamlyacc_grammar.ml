(* with: tiny_calc.mly tiny_lex.mll *)
let eval s =
  match Tiny_calc.main Tiny_lex.token (Lexing.from_string s) with
  | n -> Printf.printf "%s = %d\n" s n
  | exception Parsing.Parse_error -> Printf.printf "%s: parse error\n" s
  | exception Failure m -> Printf.printf "%s: %s\n" s m
  | exception Division_by_zero -> Printf.printf "%s: division by zero\n" s

let () =
  List.iter eval
    [ "1"; "1+2*3"; "(1+2)*3"; "-4 - -5"; "2*(3+4)*5"; "10/3%2"; "1+"; ")"; "1 2"; "1/0";
        "abs(-7)"; "max(3, 9)";
      "$"; ""; "((((((((((1))))))))))" ];
  eval (String.concat "+" (List.init 3000 string_of_int));
  eval (String.concat "" (List.init 2000 (fun _ -> "(")) ^ "5" ^ String.make 2000 ')')
