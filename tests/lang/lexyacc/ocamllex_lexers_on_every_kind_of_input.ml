(* with: plain_lexer.mll *)
(* Lexers with and without memory cells, refilled in pieces of every size. *)
let pieces n s =
  let at = ref 0 in
  Lexing.from_function (fun b room ->
      let k = min (min n room) (String.length s - !at) in
      Bytes.blit_string s !at b 0 k; at := !at + k; k)

let all rule lexbuf =
  let rec go acc = match rule lexbuf with "" -> String.concat "|" (List.rev acc) | s -> go (s :: acc) in
  match go [] with s -> s | exception e -> Printexc.to_string e

let () =
  let s = "hello 42 abcdefdefx abcdefde abcx \200\255\128 wo_rld\n7" in
  Printf.printf "%S\n" (all Plain_lexer.words (Lexing.from_string s));
  for n = 1 to 12 do Printf.printf "%d %S\n" n (all Plain_lexer.words (pieces n s)) done;
  let long = String.concat " " (List.init 3000 (fun i -> if i mod 2 = 0 then String.make (i mod 700 + 1) 'q' else string_of_int i)) in
  Printf.printf "%s\n" (Digest.to_hex (Digest.string (all Plain_lexer.words (pieces 77 long))));
  Printf.printf "%s\n" (Digest.to_hex (Digest.string (all Plain_lexer.words (Lexing.from_string (String.make 5000 'z' ^ " 1")))));
  Printf.printf "%S\n" (all Plain_lexer.words (Lexing.from_string "ok ?"));
  let b = Lexing.from_string "aab" in
  (match List.init 3 (fun _ -> Plain_lexer.only_a b) with
   | _ -> print_endline "?"
   | exception e -> Printf.printf "%s at %d\n" (Printexc.to_string e) b.Lexing.lex_curr_pos);
  let b = pieces 3 "one, two,  three,,four" in
  for _ = 1 to 6 do
    match Plain_lexer.fields b with
    | f, pad, s, e -> Printf.printf "%S %S %d-%d\n" f pad s e
    | exception e -> print_endline (Printexc.to_string e)
  done;
  List.iter (fun s ->
      for n = 1 to 3 do
        match Plain_lexer.optional (pieces n s) with
        | v, w -> let show = function None -> "-" | Some x -> x in Printf.printf "%s: %s %s\n" s (show v) (show w)
        | exception e -> Printf.printf "%s: %s\n" s (Printexc.to_string e)
      done) [ "k"; "k12"; "k=ab"; "k7=z"; "k="; "x"; "" ];
  let b = Lexing.from_string "aaabxxcc" in
  for _ = 1 to 5 do
    match Plain_lexer.briefly b with
    | s -> Printf.printf "%S\n" s
    | exception e -> Printf.printf "%s\n" (Printexc.to_string e)
  done;
  let b = Lexing.from_string "a b\nc" in
  Lexing.set_filename b "f.x";
  ignore (Plain_lexer.words b);
  Printf.printf "%d %d %S\n" b.Lexing.lex_curr_p.pos_cnum (Lexing.lexeme_end b) (Lexing.lexeme b);
  Lexing.flush_input b;
  Printf.printf "%S\n" (Plain_lexer.words b)
