open Parsetree

(* The totals of a recording; words and collections are exact. *)
type figures = {
  seconds : float;
  samples : float;
  lost : float;
  words : float;
  promoted : float;
  minor_collections : float;
  major_collections : float;
}

external is_terminal : unit -> bool = "bactrian_repl_is_terminal"
external version : unit -> string = "bactrian_repl_version"
external standard_library : unit -> string = "bactrian_repl_library"
external read_phrase : string -> (string -> int * (string * string) list) -> string
  = "bactrian_repl_read"
external pretend_dumb : bool -> unit = "bactrian_repl_pretend_dumb"
external unread : in_channel -> string -> int = "bactrian_repl_unread"
external forget_typed : unit -> unit = "bactrian_repl_forget"
external find_packages : string array -> string = "bactrian_repl_packages"
external c_start : float -> string -> unit = "bactrian_repl_start"
external c_stop : unit -> figures = "bactrian_repl_stop"
external is_recording : unit -> bool = "bactrian_repl_is_recording"
external flush_recording : unit -> float = "bactrian_repl_flush"
external c_report : string array -> string = "bactrian_repl_report"

let say fmt = Format.printf (fmt ^^ "@.")

external profile_file : unit -> string = "bactrian_repl_profile"

(* The files of recordings are shown without their temporary folder. *)
let output_of words =
  let folder = Filename.concat (Filename.dirname (profile_file ())) "" in
  let n = String.length folder in
  let rec shorten text from =
    match String.index_from_opt text from folder.[0] with
    | None -> text
    | Some i when i + n <= String.length text && String.sub text i n = folder ->
      shorten (String.sub text 0 i ^ String.sub text (i + n) (String.length text - i - n)) i
    | Some i -> shorten text (i + 1) in
  shorten (c_report (Array.of_list words)) 0

let print_report text =
  Format.print_flush ();
  print_char '\n';
  print_string text;
  flush stdout

(* The output of a verb of `bactrian prof`. *)
let report words = print_report (output_of words)

let contains text part =
  let n = String.length part in
  let rec from i = i + n <= String.length text && (String.sub text i n = part || from (i + 1)) in
  from 0

(* The same; another line if the report's selection is empty. *)
let report_unless_empty words ~otherwise =
  let text = output_of words in
  if contains text "no sample is selected" then say "%s" otherwise else print_report text

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

(* As in the reports: 1 kB has 1,000 bytes. *)
let bytes_of_words words =
  let bytes = words *. float (Sys.word_size / 8) in
  let rec scale x = function
    | unit :: (_ :: _ as larger) when x >= 999.5 -> ignore unit; scale (x /. 1e3) larger
    | unit :: _ -> Printf.sprintf "%.*f %s" (if x < 10. then 2 else if x < 100. then 1 else 0) x unit
    | [] -> assert false in
  if bytes < 1e3 then Printf.sprintf "%.0f B" bytes
  else scale (bytes /. 1e3) [ "kB"; "MB"; "GB"; "TB" ]

let several n what = Printf.sprintf "%s %s%s" (grouped n) what (if n = 1. then "" else "s")

(* The parts that are not zero. *)
let parts l = String.concat ", " (List.filter_map (fun (n, text) -> if n > 0. then Some text else None) l)

let collections ~minor ~major =
  parts [ minor, several minor "minor collection"; major, several major "major collection" ]

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

let table file options ~otherwise =
  report_unless_empty ~otherwise
    (("table" :: file :: "--running" :: "--top" :: "10" :: options) @ of_phrases)

let report_session () =
  let file, now = bring_up_to_date () in
  table file [] ~otherwise:"No phrase has allocated anything that was sampled.";
  table file [ "--show"; "live"; "--at"; "end" ] ~otherwise:"Nothing that was sampled is live.";
  keep_report now

let report_changes () =
  let file, now = bring_up_to_date () in
  table file [ "--from"; Printf.sprintf "%.6fs" !last_report ]
    ~otherwise:"Nothing was sampled since the last report.";
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

let size words = Printf.sprintf "%s (%s)" (bytes_of_words words) (several words "word")

let show_measure f =
  let details =
    [ parts [ f.promoted, size f.promoted ^ " promoted" ];
      collections ~minor:f.minor_collections ~major:f.major_collections ] in
  say "%s while recorded; %s" (seconds f.seconds)
    (if f.words = 0. then "nothing was allocated"
     else String.concat "; " ((size f.words ^ " allocated") :: List.filter (( <> ) "") details));
  if f.lost > 0. then say "%s were lost for lack of memory" (several f.lost "sample");
  if f.words > 0. then begin
    let table options = [ "table"; profile_file (); "--top"; "8" ] @ options in
    report (table []);
    report_unless_empty (table [ "--show"; "live"; "--at"; "end" ])
      ~otherwise:"\nNothing of it is live at the end."
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
  let shown verb = verb :: profile :: "--running" :: of_phrases in
  if file = "" then report (shown "flame")
  else begin
    let verb = if Filename.check_suffix file ".html" then "html" else "flame" in
    ignore (output_of (shown verb @ [ "-o"; file ]));
    say "%s was written." file
  end

(* ---- #leaks and #gc. ---- *)

let leaks () =
  let profile, _ = bring_up_to_date () in
  report_unless_empty ("leaks" :: profile :: "--running" :: of_phrases)
    ~otherwise:"Nothing that was sampled is live."

let gc () =
  let s = Gc.stat () in
  let words n = bytes_of_words (float n) in
  say "heap: %s, of which %s live and %s free; largest: %s" (words s.heap_words)
    (words s.live_words) (words s.free_words) (words s.top_heap_words);
  say "allocated since the start: %s, of which %s promoted"
    (bytes_of_words (s.minor_words +. s.major_words -. s.promoted_words))
    (bytes_of_words s.promoted_words);
  let minor = float s.minor_collections and major = float s.major_collections in
  if minor +. major > 0. then say "collected since the start: %s" (collections ~minor ~major);
  say "minor heap: %s; space_overhead: %d" (words (Gc.get ()).minor_heap_size)
    (Gc.get ()).space_overhead;
  if is_recording () then report [ "gc"; fst (bring_up_to_date ()); "--running" ]

(* ---- #require. ---- *)

let directive name text =
  let argument = { pdira_desc = Pdir_string text; pdira_loc = nowhere } in
  Ptop_dir { pdir_name = located name; pdir_arg = Some argument; pdir_loc = nowhere }

let perform phrase =
  Bactrian_complete.note phrase;
  Toploop.execute_phrase false Format.std_formatter phrase

let words_of text =
  List.filter (( <> ) "") (String.split_on_char ' ' (String.map (function ',' -> ' ' | c -> c) text))

(* The folders and archives of packages, in the order of their dependencies. *)
let loaded : (string, unit) Hashtbl.t = Hashtbl.create 10

let load_package line =
  match String.split_on_char '\t' line with
  | [ folder; archives ] ->
    if folder <> standard_library () then ignore (perform (directive "directory" folder));
    let load archive =
      let path = Filename.concat folder archive in
      if not (Hashtbl.mem loaded path) then begin
        if not (perform (directive "load" path)) then
          failwith (path ^ " can't be loaded: is the package for this OCaml?");
        Hashtbl.replace loaded path ()
      end in
    List.iter load (words_of archives)
  | _ -> ()

let require text =
  match words_of text with
  | [] -> failwith "say the names of packages: #require \"str, unix\""
  | packages ->
    List.iter load_package (String.split_on_char '\n' (find_packages (Array.of_list packages)))

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
let add_with kind name run doc =
  let run argument = try run argument with Failure why | Sys_error why -> say "#%s: %s." name why in
  Toploop.add_directive name (kind run) { section = "Bactrian"; doc }

let add name = add_with (fun run -> Toploop.Directive_string run) name
let add_bare name = add_with (fun run -> Toploop.Directive_none run) name

(* ---- The start. ---- *)

(* Programs see the command line without the words that `bactrian repl` put after the name. *)
let added_words = 4

let restore_arguments () =
  let n = Array.length Sys.argv - 1 - added_words in
  let own = Array.sub Sys.argv (1 + added_words) n in
  Toploop.override_sys_argv (Array.append [| Sys.argv.(0) |] own)

let banner () =
  Printf.sprintf "Bactrian %s, OCaml %s\n#help lists directives, Tab completes, Ctrl-D leaves.\n\n"
    (version ()) Sys.ocaml_version

(* The first text that is printed, which ends with an empty line, if it is OCaml's banner. *)
let replace_banner () =
  let out = Format.std_formatter and text = Buffer.create 100 in
  let before = Format.pp_get_formatter_out_functions out () in
  let print shown =
    Format.pp_set_formatter_out_functions out before;
    before.out_string shown 0 (String.length shown);
    before.out_flush () in
  let out_flush () =
    let shown = Buffer.contents text in
    let start = List.hd (String.split_on_char '\n' (String.trim shown)) in
    if not (Bactrian_complete.starts_with ~prefix:"OCaml version " start) then print shown
    else if contains shown "\n\n" then print (banner ()) in
  Format.pp_set_formatter_out_functions out (Bactrian_complete.keep_output text ~out_flush before)

(* Ctrl-C ends all phrases that were entered together. *)
let interrupt _ =
  forget_typed ();
  raise Sys.Break

(* On a terminal, OCaml shows locations by printing over the phrase, as if each of its lines were a
   row and had a prompt. On a dumb one it underlines them in a copy of the lines. The first report
   at the prompt decides, which is this one. *)
let underline_locations () =
  pretend_dumb true;
  let nobody = Format.make_formatter (fun _ _ _ -> ()) ignore in
  Toploop.print_warning nowhere nobody Warnings.Comment_start;
  pretend_dumb false

let start_reading () =
  underline_locations ();
  Sys.set_signal Sys.sigint (Sys.Signal_handle interrupt)

let read_input = !Toploop.read_interactive_input

(* What the toplevel has not read of a phrase. It reads a line, or less, by its own function, which
   keeps the text for error messages. *)
let rest = ref ""
let is_started = ref false

let read_interactive_input prompt buffer length =
  if not !is_started then begin
    is_started := true;
    start_reading ();
    rest := ";;\n" (* the report belongs to this phrase: OCaml 5 separates reports by empty lines *)
  end;
  if !rest = "" then begin
    Format.print_flush ();
    flush stdout;
    flush stderr;
    rest := read_phrase prompt Bactrian_complete.complete
  end;
  let line = match String.index_opt !rest '\n' with Some i -> i + 1 | None -> 0 in
  let n = unread stdin (String.sub !rest 0 (min length line)) in
  rest := String.sub !rest n (String.length !rest - n);
  if n = 0 then 0, true else read_input "" buffer length

let start_prompt () =
  replace_banner ();
  Toploop.read_interactive_input := read_interactive_input

let parse_file = !Toploop.parse_use_file

let () =
  restore_arguments ();
  add "memprof" memprof
    "Records allocation: #memprof on RATE;; #memprof report;; #memprof diff;; #memprof off;;.";
  add "profile" profile "Runs one phrase and shows its time, words, sites and survivors.";
  add "flame" flame "Writes the last recording as a page, #flame \"f.html\";;, or shows it, #flame;;.";
  add_bare "leaks" leaks "Shows what the last recording saw allocated and never freed, by site.";
  add_bare "gc" gc "Shows the heap, what was allocated and collected, and the recording's pauses.";
  add "require" require "Loads packages and those they need: #require \"str, unix\";;.";
  Toploop.parse_toplevel_phrase := parse;
  Toploop.parse_use_file :=
    (fun lexbuf ->
       let phrases = parse_file lexbuf in
       List.iter Bactrian_complete.note phrases;
       phrases);
  if is_terminal () then start_prompt ()
