(* with: words.mll *)
let from_pieces pieces =
  let rest = ref pieces in
  Lexing.from_function (fun b n -> match !rest with
      | [] -> 0
      | s :: r ->
        rest := r;
        let k = min n (String.length s) in
        Bytes.blit_string s 0 b 0 k;
        k)

let show lexbuf =
  let rec go () = match Words.token lexbuf with
    | Words.Eof -> print_newline ()
    | Word s ->
      let p = Lexing.lexeme_start_p lexbuf in
      Printf.printf "%s@%s:%d:%d-%d " s p.Lexing.pos_fname p.pos_lnum (p.pos_cnum - p.pos_bol)
          (Lexing.lexeme_end lexbuf);
      go ()
    | Number (a, b) -> Printf.printf "<%s.%s> " a (match b with None -> "-" | Some b -> b); go ()
    | Text s -> Printf.printf "%S " s; go ()
  in
  go ()

let () =
  let text =
    "alpha beta\ngamma 12 3.5 (* comment (* nested *) *) \"string with \\\"quotes\\\"\"\nlast"
  in
  show (Lexing.from_string text);
  show (from_pieces [ "al"; "pha be"; "ta\nga"; "mma 1"; "2 3"; ".5 x" ]);
  let oc = open_out "in.txt" in
  for i = 1 to 500 do Printf.fprintf oc "word%c %d\n" (Char.chr (97 + (i mod 26))) i done;
  close_out oc;
  let lexbuf = Lexing.from_channel (open_in "in.txt") in
  Lexing.set_filename lexbuf "in.txt";
  let n = ref 0 in
  while Words.token lexbuf <> Words.Eof do incr n done;
  Printf.printf "%d %d\n" !n (Lexing.lexeme_end_p lexbuf).Lexing.pos_lnum;
  let b = Lexing.from_string ~with_positions:false "one" in
  show b;
  Printf.printf "%b\n" (Lexing.with_positions b);
  let l = Lexing.from_string "a\nb" in
  Lexing.set_position l { Lexing.pos_fname = "f"; pos_lnum = 10; pos_bol = 100; pos_cnum = 105 };
  show l;
  (try ignore (Words.token (Lexing.from_string "#")) with Failure s -> print_endline s);
  Lexing.flush_input l
