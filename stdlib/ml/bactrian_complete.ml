open Parsetree

external standard_library : unit -> string = "bactrian_repl_library"

(* ---- Names. ---- *)

let is_name_char = function
  | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | '\'' | '\128' .. '\255' -> true
  | _ -> false

let is_name s = s <> "" && is_name_char s.[0] && not (s.[0] >= '0' && s.[0] <= '9') && s.[0] <> '\''
let is_capital s = s <> "" && s.[0] >= 'A' && s.[0] <= 'Z'

let starts_with ~prefix s =
  String.length s >= String.length prefix && String.sub s 0 (String.length prefix) = prefix

let keywords =
  [ "and"; "as"; "assert"; "begin"; "class"; "constraint"; "do"; "done"; "downto"; "else"; "end";
    "exception"; "external"; "false"; "for"; "fun"; "function"; "functor"; "if"; "in"; "include";
    "inherit"; "initializer"; "lazy"; "let"; "match"; "method"; "module"; "mutable"; "new"; "nonrec";
    "object"; "of"; "open"; "private"; "rec"; "sig"; "struct"; "then"; "to"; "true"; "try"; "type";
    "val"; "virtual"; "when"; "while"; "with" ]

(* ---- Asking the toplevel. ---- *)

(* The parser before bactrian_repl.ml changes it. *)
let parse_phrase = !Toploop.parse_toplevel_phrase

(* OCaml 5.4 has one function more. *)
let keep_output text ~out_flush before =
  { before with Format.out_string = Buffer.add_substring text; out_flush;
    out_newline = (fun () -> Buffer.add_char text '\n');
    out_spaces = (fun _ -> Buffer.add_char text ' ');
    out_indent = (fun _ -> Buffer.add_char text ' ') }

(* What f prints by Format. *)
let printed_by f =
  let text = Buffer.create 1000 in
  let capture formatter =
    Format.pp_print_flush formatter ();
    let before = Format.pp_get_formatter_out_functions formatter () in
    Format.pp_set_formatter_out_functions formatter (keep_output text ~out_flush:ignore before);
    fun () ->
      Format.pp_print_flush formatter ();
      Format.pp_set_formatter_out_functions formatter before in
  let restore = List.map capture [ Format.std_formatter; Format.err_formatter ] in
  Fun.protect f ~finally:(fun () -> List.iter (fun f -> f ()) restore);
  Buffer.contents text

(* A printed signature without what cannot be read back: `...` for what was left out, and the
   numbers of hidden types, as in t/2. *)
let readable text =
  let n = String.length text in
  let digit i = i < n && text.[i] >= '0' && text.[i] <= '9' in
  let rec after_digits i = if digit i then after_digits (i + 1) else i in
  let clean = Buffer.create n in
  let rec from i =
    if i < n then
      if i + 2 < n && String.sub text i 3 = "..." then from (i + 3)
      else if text.[i] = '/' && digit (i + 1) && i > 0 && is_name_char text.[i - 1] then
        from (after_digits (i + 1))
      else begin
        Buffer.add_char clean text.[i];
        from (i + 1)
      end in
  from 0;
  Buffer.contents clean

(* The locations' name of a file is the text itself. *)
let signature_of shown =
  let text = "module type S = sig\n" ^ readable shown ^ "\nend;;" in
  let lexbuf = Lexing.from_string text in
  lexbuf.lex_curr_p <- { lexbuf.lex_curr_p with pos_fname = text };
  match parse_phrase lexbuf with
  | Ptop_def [ { pstr_desc =
                   Pstr_modtype { pmtd_type = Some { pmty_desc = Pmty_signature items } } } ] ->
    items
  | _ -> []

(* The items that the directive prints for a path; none if it is unknown. *)
let shown directive parts =
  match Toploop.get_directive directive with
  | Some (Toploop.Directive_ident show) ->
    (try signature_of (printed_by (fun () -> show (Bactrian_syntax.longident parts)))
     with (Sys.Break | Out_of_memory | Stack_overflow) as e -> raise e | _ -> [])
  | _ -> []

(* A name, and what it is, which takes time to print. *)
type candidate = string * string Lazy.t

let without_note name : candidate = name, lazy ""
let kind what name : candidate = name, lazy what

(* The text at a location of signature_of, in one line. *)
let text_at { Location.loc_start; loc_end } =
  let text = String.sub loc_start.pos_fname loc_start.pos_cnum (loc_end.pos_cnum - loc_start.pos_cnum) in
  let words = String.split_on_char ' ' (String.map (function '\n' -> ' ' | c -> c) text) in
  String.concat " " (List.filter (( <> ) "") words)

let type_text t = text_at t.ptyp_loc

let typed (name, t) : candidate = name, lazy (type_text t)

(* A constructor is noted as a function. *)
let constructor result (name, arguments) : candidate =
  let note () =
    match arguments with
    | Pcstr_tuple [] -> result
    | Pcstr_tuple l -> String.concat " * " (List.map type_text l) ^ " -> " ^ result
    | Pcstr_record l ->
      let field f = f.pld_name.txt ^ " : " ^ type_text f.pld_type in
      "{ " ^ String.concat "; " (List.map field l) ^ " } -> " ^ result in
  name, lazy (note ())

let names_of_type t =
  let own = t.ptype_name.txt in
  kind "type" own ::
  (match t.ptype_kind with
   | Ptype_variant l -> List.map (fun c -> constructor own (c.pcd_name.txt, c.pcd_args)) l
   | Ptype_record l -> List.map (fun f -> typed (f.pld_name.txt, f.pld_type)) l
   | Ptype_abstract | Ptype_open -> [])

let names_of_item item =
  match item.psig_desc with
  | Psig_value v -> [ typed (v.pval_name.txt, v.pval_type) ]
  | Psig_type (_, l) -> List.concat_map names_of_type l
  | Psig_typext t ->
    let result = String.concat "." (Bactrian_syntax.parts t.ptyext_path.txt) in
    List.map (fun c -> kind result c.pext_name.txt) t.ptyext_constructors
  | Psig_exception e ->
    [ e.ptyexn_constructor.pext_name.txt, lazy (text_at item.psig_loc) ]
  | Psig_modtype m -> [ kind "module type" m.pmtd_name.txt ]
  | Psig_module m -> List.map (kind "module") (Option.to_list m.pmd_name.txt)
  | Psig_recmodule l ->
    List.filter_map (fun m -> Option.map (kind "module") m.pmd_name.txt) l
  | Psig_class l -> List.map (fun c -> kind "class" c.pci_name.txt) l
  | Psig_class_type l -> List.map (fun c -> kind "class type" c.pci_name.txt) l
  | _ -> []

(* The environment does not change inside a phrase. *)
let known_members = Hashtbl.create 10

let members parts =
  try Hashtbl.find known_members parts
  with Not_found ->
    let names_of_module item =
      match item.psig_desc with
      | Psig_module { pmd_type = { pmty_desc = Pmty_signature items } } ->
        List.concat_map names_of_item items
      | _ -> [] in
    let names = List.concat_map names_of_module (shown "show_module" parts) in
    Hashtbl.replace known_members parts names;
    names

let type_of_value parts =
  match shown "show_val" parts with
  | { psig_desc = Psig_value v } :: _ -> Some v.pval_type
  | _ -> None

(* Abbreviations are followed that often: a hidden type has the name of the one that hides it. *)
let most_abbreviations = 20

let rec fields_of_type ?(followed = 0) t =
  match t.ptyp_desc with
  | Ptyp_constr ({ txt }, _) when followed < most_abbreviations ->
    let fields_of = function
      | { ptype_kind = Ptype_record l } -> List.map (fun f -> f.pld_name.txt, f.pld_type) l
      | { ptype_manifest = Some other } -> fields_of_type ~followed:(followed + 1) other
      | _ -> [] in
    let definition item =
      match item.psig_desc with
      | Psig_type (_, l) -> List.concat_map fields_of l
      | _ -> [] in
    (match Bactrian_syntax.parts txt with
     | [] -> []
     | parts -> List.concat_map definition (shown "show_type" parts))
  | _ -> []

(* The fields of M.N.x.f.g. *)
let fields parts =
  let rec split modules = function
    | name :: rest when is_capital name -> split (name :: modules) rest
    | name :: rest -> List.rev (name :: modules), rest
    | [] -> [], [] in
  let rec follow t = function
    | [] -> List.map typed (fields_of_type t)
    | name :: rest ->
      (match List.assoc_opt name (fields_of_type t) with
       | Some t -> follow t rest
       | None -> []) in
  match split [] parts with
  | [], _ -> []
  | value, rest -> (match type_of_value value with Some t -> follow t rest | None -> [])

(* ---- Definitions of the session. ---- *)

(* Names, with what must exist for them to be defined: phrases may fail. *)
let defined : (string, string) Hashtbl.t = Hashtbl.create 100
let opened = ref [ [ "Stdlib" ] ]

let folders =
  let rec given = function
    | "-I" :: folder :: rest -> folder :: given rest
    | _ :: rest -> given rest
    | [] -> [] in
  ref ("" :: given (Array.to_list Sys.argv) @ [ standard_library () ])

let define ?witness name =
  Hashtbl.replace defined name (match witness with Some w -> w | None -> name)

let rec note_pattern p =
  match p.ppat_desc with
  | Ppat_var { txt } -> define txt
  | Ppat_alias (p, { txt }) -> define txt; note_pattern p
  | Ppat_array l -> List.iter note_pattern l
  | Ppat_construct (_, Some (_, p)) | Ppat_variant (_, Some p) | Ppat_constraint (p, _)
  | Ppat_lazy p | Ppat_open (_, p) | Ppat_exception p -> note_pattern p
  | Ppat_record (l, _) -> List.iter (fun (_, p) -> note_pattern p) l
  | Ppat_or (p, q) -> note_pattern p; note_pattern q
  | other -> List.iter note_pattern (Bactrian_syntax.components other)

let note_type t =
  let witness = t.ptype_name.txt in
  define witness;
  match t.ptype_kind with
  | Ptype_variant l -> List.iter (fun c -> define ~witness c.pcd_name.txt) l
  | Ptype_record l -> List.iter (fun f -> define ~witness f.pld_name.txt) l
  | Ptype_abstract | Ptype_open -> ()

let note_module m = Option.iter (fun name -> define name) m.pmb_name.txt

let note_open m =
  match m.pmod_desc with
  | Pmod_ident { txt } ->
    (match Bactrian_syntax.parts txt with
     | [] -> ()
     | parts -> opened := parts :: !opened)
  | _ -> ()

let note_item item =
  match item.pstr_desc with
  | Pstr_value (_, l) -> List.iter (fun b -> note_pattern b.pvb_pat) l
  | Pstr_primitive v -> define v.pval_name.txt
  | Pstr_type (_, l) -> List.iter note_type l
  | Pstr_typext t -> List.iter (fun c -> define c.pext_name.txt) t.ptyext_constructors
  | Pstr_exception e -> define e.ptyexn_constructor.pext_name.txt
  | Pstr_module m -> note_module m
  | Pstr_recmodule l -> List.iter note_module l
  | Pstr_modtype t -> define t.pmtd_name.txt
  | Pstr_open o -> note_open o.popen_expr
  | Pstr_include i -> note_open i.pincl_mod
  | Pstr_class l -> List.iter (fun c -> define c.pci_name.txt) l
  | Pstr_class_type l -> List.iter (fun c -> define c.pci_name.txt) l
  | Pstr_eval _ | Pstr_attribute _ | Pstr_extension _ -> ()

let note phrase =
  Hashtbl.reset known_members;
  match phrase with
  | Ptop_def items -> List.iter note_item items
  | Ptop_dir { pdir_name = { txt = "directory" };
               pdir_arg = Some { pdira_desc = Pdir_string folder } } ->
    folders := folder :: !folders
  | Ptop_dir _ -> ()

(* ---- Kinds of words. ---- *)

let entries folder =
  match Sys.readdir (if folder = "" then "." else folder) with
  | entries -> Array.to_list entries
  | exception Sys_error _ -> []

(* As in names of internal modules of a library. *)
let has_double_underscore s =
  let rec from i = i + 1 < String.length s && ((s.[i] = '_' && s.[i + 1] = '_') || from (i + 1)) in
  from 0

let modules_in folder =
  let folder =
    if starts_with ~prefix:"+" folder then
      Filename.concat (standard_library ()) (String.sub folder 1 (String.length folder - 1))
    else folder in
  let name file =
    let base = Filename.remove_extension file in
    let hidden = starts_with ~prefix:"bactrian_" base || has_double_underscore base in
    if Filename.check_suffix file ".cmi" && is_name base && not hidden then
      Some (String.capitalize_ascii base)
    else None in
  List.filter_map name (entries folder)

(* What a name of the session is, if its witness exists. *)
let defined_as name witness =
  match shown "show" [ witness ] with
  | [] -> None
  | items ->
    (match List.assoc_opt name (List.concat_map names_of_item items) with
     | Some note -> Some (name, note)
     | None -> Some (without_note name))

let top_names prefix =
  let own =
    Hashtbl.fold
      (fun name witness found ->
         if starts_with ~prefix name then Option.to_list (defined_as name witness) @ found
         else found)
      defined [] in
  let found = List.map (kind "keyword") keywords @ List.concat_map members !opened in
  if prefix = "" || is_capital prefix then
    own @ found @ List.map (kind "module") (List.concat_map modules_in !folders)
  else own @ found

(* The function that a word at the end of the text is an argument of. *)
let function_before text =
  let n = String.length text in
  let rec word i = if i < n && (is_name_char text.[i] || text.[i] = '.') then word (i + 1) else i in
  let rec string i =
    if i >= n then n
    else if text.[i] = '"' then i + 1
    else string (if text.[i] = '\\' then i + 2 else i + 1) in
  (* head: of the innermost application; None where a new one begins *)
  let rec scan i head fresh outer =
    if i >= n then head
    else
      match text.[i] with
      | ' ' | '\t' | '\n' | '!' -> scan (i + 1) head fresh outer
      | '"' -> scan (string (i + 1)) head false outer
      | '(' | '[' | '{' -> scan (i + 1) None true (head :: outer)
      | ')' | ']' | '}' ->
        (match outer with
         | before :: outer -> scan (i + 1) before false outer
         | [] -> scan (i + 1) None false [])
      | '~' | '?' ->
        let j = word (i + 1) in
        scan (if j < n && text.[j] = ':' then j + 1 else j) head fresh outer
      | c when is_name_char c ->
        let j = word i in
        let name = String.sub text i (j - i) in
        if List.mem name keywords then scan j None true outer
        else scan j (if fresh then Some name else head) false outer
      | _ -> scan (i + 1) None true outer in
  scan 0 None true []

let labels before =
  let rec labels_of t =
    match t.ptyp_desc with
    | Ptyp_arrow (Asttypes.Nolabel, _, result) -> labels_of result
    | Ptyp_arrow (Asttypes.(Labelled name | Optional name), argument, result) ->
      typed (name ^ ":", argument) :: labels_of result
    | Ptyp_poly (_, t) | Ptyp_alias (t, _) -> labels_of t
    | _ -> [] in
  match function_before before with
  | Some name when is_name name ->
    (match type_of_value (String.split_on_char '.' name) with
     | Some t -> labels_of t
     | None -> [])
  | _ -> []

let files text =
  let folder, base =
    match String.rindex_opt text '/' with
    | Some i -> String.sub text 0 (i + 1), String.sub text (i + 1) (String.length text - i - 1)
    | None -> "", text in
  let shown_entry name =
    if (starts_with ~prefix:"." name && base = "") || not (starts_with ~prefix:base name) then None
    else if (try Sys.is_directory (folder ^ name) with Sys_error _ -> false) then Some (name ^ "/")
    else Some name in
  String.length base, List.map without_note (List.filter_map shown_entry (entries folder))

(* ---- The line. ---- *)

(* The text of a string literal that is not closed. *)
let open_string line =
  let n = String.length line in
  let rec scan i start =
    if i >= n then start
    else
      match line.[i], start with
      | '"', None -> scan (i + 1) (Some (i + 1))
      | '"', Some _ -> scan (i + 1) None
      | '\'', None when i + 2 < n && line.[i + 1] = '"' && line.[i + 2] = '\'' -> scan (i + 3) None
      | '\\', _ -> scan (i + 2) start
      | _ -> scan (i + 1) start in
  Option.map (fun start -> String.sub line start (n - start)) (scan 0 None)

(* The start of the path at the end of the line. *)
let rec start_of_path line i =
  if i > 0 && (is_name_char line.[i - 1] || line.[i - 1] = '.') then start_of_path line (i - 1)
  else i

let directive name : candidate =
  let doc = match Toploop.get_directive_info name with Some { doc } -> doc | None -> "" in
  kind doc name

let words_after line start =
  let path = String.sub line start (String.length line - start) in
  let parts = String.split_on_char '.' path in
  let rec last = function
    | [ word ] -> [], word
    | part :: rest -> let parts, word = last rest in part :: parts, word
    | [] -> [], "" in
  let mark = if start = 0 then ' ' else line.[start - 1] in
  match last parts with
  | [], word when mark = '#' && String.trim (String.sub line 0 (start - 1)) = "" ->
    word, List.map directive (Toploop.all_directive_names ())
  | [], word when mark = '~' || mark = '?' -> word, labels (String.sub line 0 (start - 1))
  | [], word -> word, top_names word
  | parts, word when List.for_all is_name parts ->
    word, if List.for_all is_capital parts then members parts
          else fields parts
  | _, word -> word, []

let complete line =
  let typed, found =
    match open_string line with
    | Some text -> files text
    | None ->
      let word, candidates = words_after line (start_of_path line (String.length line)) in
      let fits (name, _) = is_name name && starts_with ~prefix:word name in
      String.length word, List.filter fits candidates in
  typed, List.map (fun (name, note) -> name, Lazy.force note) found
