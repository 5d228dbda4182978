open Parsetree

(* The totals of a recording; words and collections are exact. *)
type figures = {
  seconds : float;
  overhead : float;  (* of them, in the recorder *)
  samples : float;
  lost : float;
  words : float;
  promoted : float;
  minor_collections : float;
  major_collections : float;
}

external is_terminal : unit -> bool = "bactrian_repl_is_terminal"
external read_line : string -> (string -> int * string list) -> string = "bactrian_repl_read"
external c_start : float -> string -> unit = "bactrian_repl_start"
external c_stop : unit -> figures = "bactrian_repl_stop"
external is_recording : unit -> bool = "bactrian_repl_is_recording"
external flush_recording : unit -> float = "bactrian_repl_flush"
external c_report : string array -> string = "bactrian_repl_report"

let say fmt = Format.printf (fmt ^^ "@.")

external profile_file : unit -> string = "bactrian_repl_profile"

(* The output of a verb of `bactrian prof`. *)
let report words =
  let text = c_report (Array.of_list words) in
  Format.print_flush ();
  print_char '\n';
  print_string text;
  flush stdout

(* ---- Numbers. ---- *)

(* 1234567. as 1,234,567 *)
let grouped x =
  let digits = Printf.sprintf "%.0f" x in
  let n = String.length digits in
  let group i c = if i > 0 && (n - i) mod 3 = 0 then Printf.sprintf ",%c" c else String.make 1 c in
  String.concat "" (List.mapi group (List.of_seq (String.to_seq digits)))

let seconds x =
  if x >= 1. then Printf.sprintf "%.2f s" x
  else if x >= 1e-3 then Printf.sprintf "%.2f ms" (x *. 1e3)
  else Printf.sprintf "%.0f us" (x *. 1e6)

let several n what = Printf.sprintf "%.0f %s%s" n what (if n = 1. then "" else "s")

(* ---- #memprof. ---- *)

let default_rate = 1e-3

(* The toplevel itself allocates too: only what phrases evaluate is shown, and not how the toplevel
   came to evaluate them. *)
let of_phrases =
  [ "--focus"; "^Topeval\\.load_(lambda|compunit)\\b";
    "--ignore"; "^(Simplif\\.|Bytegen\\.|Emitcode\\.|Symtable\\.|Meta\\.|Top[a-z]+\\.setvalue\\b)";
    "--scope"; "phrases";
    "--hide"; "^(Top[a-z]+|Bactrian_repl|Stdlib__Fun\\.protect)\\b" ]

(* Seconds after the recording's start. *)
let last_report = ref 0.
let ended = ref 0.
let report_file () = Filename.concat (Filename.dirname (profile_file ())) "last_report"

let read_file path =
  let channel = open_in_bin path in
  Fun.protect (fun () -> really_input_string channel (in_channel_length channel))
    ~finally:(fun () -> close_in channel)

let write_file path text =
  let channel = open_out_bin path in
  Fun.protect (fun () -> output_string channel text) ~finally:(fun () -> close_out channel)

(* The next report compares with the recording's present state. *)
let keep_report seconds =
  last_report := seconds;
  write_file (report_file ()) (read_file (profile_file ()))

(* Returns the time of the recording, after a collection that finds dead blocks. *)
let bring_up_to_date () =
  let file = profile_file () in
  if is_recording () then begin
    Gc.full_major ();
    file, flush_recording ()
  end
  else file, !ended

let table file options =
  report (("table" :: file :: "--running" :: "--top" :: "10" :: options) @ of_phrases)

let report_session () =
  let file, now = bring_up_to_date () in
  table file [];
  table file [ "--show"; "live"; "--at"; "end" ];
  keep_report now

let report_changes () =
  let file, now = bring_up_to_date () in
  table file [ "--from"; Printf.sprintf "%.6fs" !last_report ];
  report ([ "diff"; report_file (); file; "--running"; "--show"; "live"; "--at"; "end";
            "--top"; "10" ] @ of_phrases);
  keep_report now

let start_session rate =
  if is_recording () then ignore (c_stop ());
  c_start rate "session";
  keep_report (flush_recording ());
  say "Recording: each word that is allocated is sampled with probability %g." rate

let stop_session () =
  let f = c_stop () in
  ended := f.seconds;
  say "The recording ended: %.0f samples in %s." f.samples (seconds f.seconds)

let memprof text =
  match List.filter (( <> ) "") (String.split_on_char ' ' (String.trim text)) with
  | [ "on" ] -> start_session default_rate
  | [ "on"; rate ] ->
    (match float_of_string_opt rate with
     | Some rate when rate > 0. && rate <= 1. -> start_session rate
     | _ -> failwith "the rate is a number above 0, at most 1")
  | [ "off" ] -> stop_session ()
  | [ "report" ] -> report_session ()
  | [ "diff" ] -> report_changes ()
  | _ -> failwith "say on RATE, report, diff or off"

(* ---- #profile. ---- *)

(* The result of a measured phrase. *)
let measured = ref None

let start_measure () =
  measured := None;
  c_start 1. "phrase"

let stop_measure () = if is_recording () then measured := Some (c_stop ())

(* Forcing a phrase would be measured too: a lazy value that is not forced yet holds its function.
   (The syntax tree of a lazy value is the same in all versions, that of a function is not.) *)
let function_of (phrase : 'a Lazy.t) : unit -> 'a =
  let block = Obj.repr phrase in
  if Obj.tag block = Obj.lazy_tag then Obj.obj (Obj.field block 0) else fun () -> Lazy.force phrase

let measure phrase =
  let run = function_of phrase in
  start_measure ();
  match run () with
  | result -> stop_measure (); result
  | exception e ->
    let backtrace = Printexc.get_raw_backtrace () in
    stop_measure ();
    Printexc.raise_with_backtrace e backtrace

let show_measure f =
  say "%s without the recording, which took %s; %s words allocated, %s promoted; %s, %s"
    (seconds (f.seconds -. f.overhead)) (seconds f.overhead) (grouped f.words) (grouped f.promoted)
    (several f.minor_collections "minor collection")
    (several f.major_collections "major collection");
  if f.lost > 0. then say "%s samples were lost for lack of memory" (grouped f.lost);
  if f.words > 0. then begin
    let table options =
      report ([ "table"; profile_file (); "--unit"; "words"; "--top"; "8" ] @ options) in
    table [];
    table [ "--show"; "live"; "--at"; "end" ]
  end

let nowhere = { Location.loc_start = Lexing.dummy_pos; loc_end = Lexing.dummy_pos; loc_ghost = true }
let located txt = { Location.txt; loc = nowhere }

let expression pexp_desc =
  { pexp_desc; pexp_loc = nowhere; pexp_loc_stack = []; pexp_attributes = [] }

let unit_expression () = expression (Pexp_construct (located (Longident.Lident "()"), None))

let call name argument =
  let f = Pexp_ident (located (Bactrian_syntax.longident [ "Bactrian_repl"; name ])) in
  expression (Pexp_apply (expression f, [ Asttypes.Nolabel, argument ]))

let evaluate e = { pstr_desc = Pstr_eval (e, []); pstr_loc = nowhere }

(* The phrase with its evaluation measured, without typing, compiling and printing. A definition is
   placed between calls instead of inside one, so that its types stay general. *)
let with_measure = function
  | Ptop_def [ ({ pstr_desc = Pstr_eval (e, attributes) } as item) ] ->
    let delayed = expression (Pexp_lazy e) in
    Ptop_def [ { item with pstr_desc = Pstr_eval (call "measure" delayed, attributes) } ]
  | Ptop_def items ->
    Ptop_def ((evaluate (call "start_measure" (unit_expression ())) :: items)
              @ [ evaluate (call "stop_measure" (unit_expression ())) ])
  | Ptop_dir _ -> failwith "a directive can't be profiled"

let profile_phrase phrase =
  if is_recording () then failwith "a recording is running: end it with #memprof off;;";
  let formatter = Format.std_formatter in
  let phrase = Toploop.preprocess_phrase formatter phrase in
  Bactrian_complete.note phrase;
  measured := None;
  let execute () = ignore (Toploop.execute_phrase true formatter (with_measure phrase)) in
  Fun.protect execute ~finally:stop_measure;
  Option.iter show_measure !measured

(* ---- #flame. ---- *)

let flame file =
  let profile, _ = bring_up_to_date () in
  let flame = "flame" :: profile :: "--running" :: of_phrases in
  if file = "" then report flame
  else begin
    let is_page = Filename.check_suffix file ".html" in (* everything is selected in it *)
    let words = if is_page then [ "html"; profile; "--running" ] else flame in
    ignore (c_report (Array.of_list (words @ [ "-o"; file ])));
    say "%s was written." file
  end

(* ---- Directives. ---- *)

(* Toplevel directives take a word, a number or a string. At the start of a phrase these three take
   the text between their name and `;;`: it is read before the parser sees it, and passed to them as
   a string. *)

let parse_phrase = !Toploop.parse_toplevel_phrase

(* The phrases of #profile without a string, by the string that stands for them. OCaml 5 parses all
   phrases of a line before it executes the first. *)
let parsed : (string, toplevel_phrase) Hashtbl.t = Hashtbl.create 4
let last_parsed = ref 0

let keep_parsed phrase =
  incr last_parsed;
  let name = Printf.sprintf "\000%d" !last_parsed in
  Hashtbl.replace parsed name phrase;
  name

(* The character i characters ahead; NUL: there is none. Reads only where the lexer would. *)
let rec peek (lexbuf : Lexing.lexbuf) i =
  let at = lexbuf.lex_curr_pos + i in
  if at < lexbuf.lex_buffer_len then Bytes.get lexbuf.lex_buffer at
  else if lexbuf.lex_eof_reached then '\000'
  else begin
    lexbuf.lex_start_pos <- lexbuf.lex_curr_pos;
    lexbuf.refill_buff lexbuf;
    peek lexbuf i
  end

(* Where the comment that starts at i ends, if it does so within what was read: for more lines the
   lexer has a prompt of its own. *)
let end_of_comment lexbuf i =
  let read i = lexbuf.Lexing.lex_curr_pos + i + 2 < lexbuf.lex_buffer_len in
  let rec scan i depth =
    if not (read i) then None
    else
      match peek lexbuf i, peek lexbuf (i + 1) with
      | '(', '*' -> scan (i + 2) (depth + 1)
      | '*', ')' -> if depth = 1 then Some (i + 2) else scan (i + 2) (depth - 1)
      | '\'', '"' when peek lexbuf (i + 2) = '\'' -> scan (i + 3) depth
      | '"', _ -> string (i + 1) depth
      | _ -> scan (i + 1) depth
  and string i depth =
    if not (read i) then None
    else
      match peek lexbuf i with
      | '"' -> scan (i + 1) depth
      | '\\' -> string (i + 2) depth
      | _ -> string (i + 1) depth in
  scan i 0

let rec skip_blanks lexbuf i =
  match peek lexbuf i with
  | ' ' | '\t' | '\n' | '\r' | '\012' -> skip_blanks lexbuf (i + 1)
  | '(' when peek lexbuf (i + 1) = '*' ->
    (match end_of_comment lexbuf i with Some j -> skip_blanks lexbuf j | None -> i)
  | _ -> i

(* Takes n characters, as the lexer would. *)
let take (lexbuf : Lexing.lexbuf) n =
  let text = Bytes.sub_string lexbuf.lex_buffer lexbuf.lex_curr_pos n in
  let line = ref lexbuf.lex_curr_p.pos_lnum and start = ref lexbuf.lex_curr_p.pos_bol in
  let first = lexbuf.lex_abs_pos + lexbuf.lex_curr_pos in
  String.iteri (fun i c -> if c = '\n' then (incr line; start := first + i + 1)) text;
  lexbuf.lex_curr_pos <- lexbuf.lex_curr_pos + n;
  lexbuf.lex_curr_p <-
    { lexbuf.lex_curr_p with pos_lnum = !line; pos_bol = !start; pos_cnum = first + n };
  text

let rec word_at lexbuf i =
  match peek lexbuf i with
  | 'a' .. 'z' | '_' as c -> String.make 1 c ^ word_at lexbuf (i + 1)
  | _ -> ""

let rec until_end lexbuf i =
  match peek lexbuf i with
  | '\000' -> i
  | ';' when peek lexbuf (i + 1) = ';' -> i
  | _ -> until_end lexbuf (i + 1)

let directive name text =
  let argument = { pdira_desc = Pdir_string text; pdira_loc = nowhere } in
  Ptop_dir { pdir_name = located name; pdir_arg = Some argument; pdir_loc = nowhere }

let parse lexbuf =
  let start = skip_blanks lexbuf 0 in
  let name = if peek lexbuf start = '#' then word_at lexbuf (start + 1) else "" in
  let after_name = start + 1 + String.length name in
  let phrase =
    match name with
    | ("memprof" | "flame" | "profile") when peek lexbuf (skip_blanks lexbuf after_name) = '"' ->
      parse_phrase lexbuf
    | "memprof" | "flame" ->
      ignore (take lexbuf after_name);
      let text = take lexbuf (until_end lexbuf 0) in
      if peek lexbuf 0 = '\000' then raise End_of_file;
      ignore (take lexbuf 2);
      directive name (String.trim text)
    | "profile" ->
      ignore (take lexbuf after_name);
      directive name (keep_parsed (parse_phrase lexbuf))
    | _ -> parse_phrase lexbuf in
  Bactrian_complete.note phrase;
  phrase

let profile text =
  match Hashtbl.find_opt parsed text with
  | Some phrase -> Hashtbl.remove parsed text; profile_phrase phrase
  | None -> profile_phrase (parse_phrase (Lexing.from_string (text ^ ";;")))

(* Errors are reported as the toplevel reports those of its own directives. *)
let add name run doc =
  let run text = try run text with Failure why | Sys_error why -> say "#%s: %s." name why in
  Toploop.add_directive name (Toploop.Directive_string run) { section = "Bactrian"; doc }

(* ---- The start. ---- *)

(* Programs see the command line without the words that `bactrian repl` put after the name. *)
let added_words = 4

let restore_arguments () =
  let n = Array.length Sys.argv - 1 - added_words in
  let own = Array.sub Sys.argv (1 + added_words) n in
  Toploop.override_sys_argv (Array.append [| Sys.argv.(0) |] own)

(* A line may be longer than the buffer that the toplevel gives. *)
let rest = ref ""

let read_interactive_input prompt buffer length =
  if !rest = "" then begin
    Format.print_flush ();
    flush stdout;
    flush stderr;
    rest := read_line prompt Bactrian_complete.complete
  end;
  let n = min length (String.length !rest) in
  Bytes.blit_string !rest 0 buffer 0 n;
  rest := String.sub !rest n (String.length !rest - n);
  n, n = 0

let parse_file = !Toploop.parse_use_file

let () =
  restore_arguments ();
  add "memprof" memprof
    "Records allocation: #memprof on RATE;; #memprof report;; #memprof diff;; #memprof off;;.";
  add "profile" profile "Runs one phrase and shows its time, words, sites and survivors.";
  add "flame" flame "Writes the last recording as a page, #flame \"f.html\";;, or shows it, #flame;;.";
  Toploop.parse_toplevel_phrase := parse;
  Toploop.parse_use_file :=
    (fun lexbuf ->
       let phrases = parse_file lexbuf in
       List.iter Bactrian_complete.note phrases;
       phrases);
  if is_terminal () then Toploop.read_interactive_input := read_interactive_input
