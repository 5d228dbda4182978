(* ocamllex's tables of moves hold numbers up to 65535. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let table n l = let b = Bytes.make (2 * n) '\000' in List.iter (fun (i, v) -> Bytes.set_uint16_le b (2 * i) (v land 0xffff)) l; Bytes.to_string b
let none n = String.make (2 * n) '\255'
let run offset =
  let code = Bytes.make 65600 '\255' in
  (* mem.(0) <- the current position; mem.(1) <- mem.(0) *)
  List.iteri (fun i v -> Bytes.set code (offset + i) (Char.chr v)) [ 0; 255; 1; 0; 255 ];
  let tables = { Lexing.lex_base = table 2 [ 0, 0; 1, -1 ]; lex_backtrk = none 2; lex_default = none 2;
                 lex_trans = table 300 (List.init 300 (fun i -> i, if i = 97 then 1 else -1));
                 lex_check = table 300 (List.init 300 (fun i -> i, if i = 97 then 0 else -1));
                 lex_base_code = table 2 [ 1, 65535 ]; lex_backtrk_code = table 2 []; lex_default_code = table 2 [];
                 lex_trans_code = table 300 [ 97, offset ]; lex_check_code = table 300 (List.init 300 (fun i -> i, if i = 97 then 0 else 65535));
                 lex_code = Bytes.to_string code } in
  let lexbuf = Lexing.from_string "ab" in
  lexbuf.lex_mem <- Array.make 4 (-7);
  match Lexing.new_engine tables 0 lexbuf with
  | action -> p "%d: action %d, at %d, memory %s" offset action lexbuf.lex_curr_pos (String.concat " " (Array.to_list (Array.map string_of_int lexbuf.lex_mem)))
  | exception e -> p "%d raised %s" offset (Printexc.to_string e)
let () = List.iter run [ 2; 100; 32766; 32767; 32768; 40000; 65000; 65535 ]
