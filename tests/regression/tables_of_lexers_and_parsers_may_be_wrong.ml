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

(* Records whose fields are of other kinds than their types say. *)
let wrong = [ Obj.repr 5; Obj.repr (1, 2); Obj.repr ""; Obj.repr "ab"; Obj.repr [||]; Obj.repr 1.5; Obj.repr max_int ]
let each_field record use =
  let fields = Obj.size (Obj.repr record) in
  for i = 0 to fields - 1 do
    List.iter (fun v ->
        let copy = Obj.dup (Obj.repr record) in
        Obj.set_field copy i v;
        attempt (fun () -> use (Obj.obj copy)))
      wrong
  done;
  List.iter (fun v -> if Obj.is_block v && Obj.tag v = 0 then attempt (fun () -> use (Obj.obj v))) wrong

external new_engine : Lexing.lex_tables -> int -> Lexing.lexbuf -> int = "caml_new_lex_engine"
external engine : Lexing.lex_tables -> int -> Lexing.lexbuf -> int = "caml_lex_engine"

(* One state that reads any "a" and ends at the rest; with memory cell 0. *)
let words l =
  let b = Bytes.create (2 * List.length l) in
  List.iteri (fun i n -> Bytes.set_int16_le b (2 * i) n) l;
  Bytes.to_string b
let row f = words (List.init 257 f)
let one_state =
  { Lexing.lex_base = words [ 0 ]; lex_backtrk = words [ 3 ]; lex_default = words [ -1 ];
    lex_trans = row (fun c -> if c = 97 then 0 else -1); lex_check = row (fun _ -> 0);
    lex_base_code = words [ 0 ]; lex_backtrk_code = words [ 0 ]; lex_default_code = words [ 0 ];
    lex_trans_code = row (fun _ -> 0); lex_check_code = row (fun _ -> 0); lex_code = "\255" }
let buffer () =
  let lexbuf = Lexing.from_string "aaab" in
  lexbuf.Lexing.lex_mem <- [| 0 |];
  lexbuf

let () =
  let lexbuf = buffer () in
  let action = engine one_state 0 lexbuf in
  Printf.printf "action %d after %d\n" action lexbuf.Lexing.lex_curr_pos;
  each_field one_state (fun tables -> ignore (engine tables 0 (buffer ())));
  each_field one_state (fun tables -> ignore (new_engine tables 0 (buffer ())));
  each_field (buffer ()) (fun lexbuf -> ignore (engine one_state 0 lexbuf));
  each_field (buffer ()) (fun lexbuf -> ignore (new_engine one_state (-1) lexbuf));
  Gc.compact ();
  print_endline "lexers of other kinds"

(* Where each of the moves of memory leads. *)
let () =
  let move name code =
    let lexbuf = buffer () in
    Printf.printf "%s: %s\n" name
      (match new_engine { one_state with Lexing.lex_code = code } 0 lexbuf with
       | action -> Printf.sprintf "action %d, cell %d" action lexbuf.Lexing.lex_mem.(0)
       | exception Invalid_argument _ -> "refused") in
  move "from its own cell" "\000\000\255\255";
  move "nowhere yet" "\000\255\255\255";
  move "from a cell beyond" "\000\001\255\255";
  move "to a cell beyond" "\001\000\255\255"

let () =
  List.iter (fun (length, from) ->
      let lexbuf = { (buffer ()) with Lexing.lex_buffer_len = length; lex_curr_pos = from } in
      Printf.printf "4 bytes, declared as %d, from %d: %s\n" length from
        (match engine one_state 0 lexbuf with
         | action -> Printf.sprintf "action %d" action
         | exception Invalid_argument _ -> "refused"))
    [ (4, 0); (5, 0); (max_int, 0); (4, -1) ]

type environment
external parse : Parsing.parse_tables -> environment -> int -> Obj.t -> int = "caml_parse_engine"
let environment () : environment =
  Obj.magic (Array.make 5 1, Array.make 5 (Obj.repr 0), Array.make 5 Lexing.dummy_pos,
             Array.make 5 Lexing.dummy_pos, 1, 4, -1, Obj.repr 0, Lexing.dummy_pos, Lexing.dummy_pos, 0, 0, 0, 0, 0, 0)
let grammar =
  { Parsing.actions = [| (fun _ -> Obj.repr 0) |]; transl_const = [| 0; 257 |]; transl_block = [| 258 |];
    lhs = words [ 0; 1 ]; len = words [ 1; 1 ]; defred = words [ 0; 0 ]; dgoto = words [ 1; 1 ];
    sindex = words [ 1; 1 ]; rindex = words [ 1; 1 ]; gindex = words [ 1; 1 ]; tablesize = 260;
    table = row (fun _ -> 0); check = row (fun _ -> 257); error_function = ignore; names_const = "A\000B\000"; names_block = "C\000" }

let () =
  for command = -1 to 7 do
    List.iter (fun argument ->
        each_field grammar (fun tables -> ignore (parse tables (environment ()) command argument));
        each_field (environment ()) (fun env -> ignore (parse grammar env command argument)))
      (Obj.repr 0 :: Obj.repr 1 :: wrong)
  done;
  Gc.compact ();
  print_endline "parsers of other kinds"

let () =
  List.iter (fun token ->
      Printf.printf "token %d: %s\n" token
        (match parse grammar (environment ()) 1 (Obj.repr token) with
         | _ -> "taken"
         | exception Invalid_argument _ -> "refused"))
    [ 0; 2; -1 ]
