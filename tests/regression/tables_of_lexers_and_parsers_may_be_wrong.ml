(* Lexer and parser tables of any content, as ocamllex writes them when they overflow (#12901): each
   lookup stays inside of its table, or is refused. ocamlrun 4.13.1 reads and writes beyond. *)
let state = Random.State.make [| 5 |]
let int n = Random.State.int state n
let table n =
  let b = Bytes.create (2 * n) in
  for i = 0 to n - 1 do
    Bytes.set_int16_le b (2 * i)
      (match int 6 with 0 -> -1 | 1 -> -32768 | 2 -> 32767 | 3 -> int 300 | 4 -> int 40 - 20 | _ -> int 8)
  done;
  Bytes.to_string b

let lexer with_code =
  let code n = if with_code then table n else "" in
  { Lexing.lex_base = table (int 8); lex_backtrk = table (int 8); lex_default = table (int 8);
    lex_trans = table (int 300); lex_check = table (int 300); lex_base_code = code (int 8);
    lex_backtrk_code = code (int 8); lex_default_code = code (int 8); lex_trans_code = code (int 300);
    lex_check_code = code (int 300); lex_code = code (int 20) }

let attempt f = try f () with Failure _ | Invalid_argument _ | Parsing.Parse_error | Not_found | Exit -> ()

let () =
  for i = 1 to 3000 do
    let tables = lexer (i mod 2 = 0) in
    let lexbuf = if i mod 3 = 0 then Lexing.from_string "hello world" else
        Lexing.from_function (fun b n -> if int 3 = 0 then 0 else (Bytes.set b 0 'x'; 1)) in
    lexbuf.Lexing.lex_mem <- Array.make (int 4) 0;
    attempt (fun () ->
        let run = if i mod 2 = 0 then Lexing.new_engine else Lexing.engine in
        for k = 0 to 3 do ignore (run tables (int 10 - 2) lexbuf) done)
  done;
  Gc.compact ();
  print_endline "lexers"

let () =
  for i = 1 to 3000 do
    let actions = Array.init (1 + int 5) (fun _ -> fun env -> if int 4 = 0 then raise Exit; Obj.repr (int 5)) in
    let tables =
      { Parsing.actions; transl_const = Array.init (int 4) (fun _ -> int 300); transl_block = Array.init (int 4) (fun _ -> int 300);
        lhs = table (int 8); len = table (int 8); defred = table (int 12); dgoto = table (int 8);
        sindex = table (int 12); rindex = table (int 12); gindex = table (int 8); tablesize = int 400;
        table = table (int 400); check = table (int 400); error_function = (fun _ -> ()); names_const = "A\000B\000"; names_block = "C\000" } in
    let tokens = ref 0 in
    attempt (fun () ->
        ignore
          (Parsing.yyparse tables (int 8 - 2)
             (fun _ -> incr tokens; if !tokens > 50 then raise Exit; if int 2 = 0 then Obj.magic (int 6) else Obj.magic (Some (int 3)))
             (Lexing.from_string "x") : Obj.t))
  done;
  Gc.compact ();
  print_endline "parsers"
