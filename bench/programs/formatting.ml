(* Format: a pretty-printer of a small language, with boxes, breaks, tags and margins, into a buffer. *)
type expr =
  | Var of string
  | Num of float
  | Call of string * expr list
  | Binary of char * expr * expr
  | Let of string * expr * expr
  | Match of expr * (string * expr) list
  | Record of (string * expr) list

let rec make seed depth =
  let next = ((seed * 1103515245) + 12345) land 0x3fffffff in
  let sub k = make (next + (k * 7717)) (depth - 1) in
  let name = "value_" ^ string_of_int (next lsr 9 mod 50) in
  if depth = 0 then if next land 4096 = 0 then Var name else Num (float (next lsr 8 mod 1000) /. 8.)
  else
    match next lsr 11 mod 6 with
    | 0 -> Call (name, [ sub 1; sub 2; sub 3 ])
    | 1 -> Binary ('+', sub 1, sub 2)
    | 2 -> Binary ('*', sub 1, sub 2)
    | 3 -> Let (name, sub 1, sub 2)
    | 4 -> Match (sub 1, [ ("Some " ^ name, sub 2); ("None", sub 3) ])
    | _ -> Record [ (name, sub 1); ("other", sub 2) ]

let level = function Binary ('+', _, _) -> 1 | Binary _ -> 2 | Var _ | Num _ | Record _ -> 4 | Call _ -> 3 | _ -> 0

open Format

let keyword ppf text = fprintf ppf "@{<keyword>%s@}" text

let rec print outer ppf e =
  if level e < outer then fprintf ppf "(@[%a@])" (print 0) e
  else
    match e with
    | Var x -> pp_print_string ppf x
    | Num n -> fprintf ppf "%g" n
    | Call (f, args) ->
        let space ppf () = fprintf ppf "@ " in
        fprintf ppf "@[<hov 2>%s@ %a@]" f (pp_print_list ~pp_sep:space (print 4)) args
    | Binary (op, a, b) -> fprintf ppf "@[%a@ %c %a@]" (print (level e)) a op (print (level e + 1)) b
    | Let (x, a, b) ->
        fprintf ppf "@[<v>@[<hv 2>%a %s =@ %a@ %a@]@ %a@]" keyword "let" x (print 0) a keyword "in" (print 0) b
    | Match (e, cases) ->
        fprintf ppf "@[<v>@[<2>%a@ %a@ %a@]@ %a@]" keyword "match" (print 0) e keyword "with" (pp_print_list case) cases
    | Record fields ->
        let separator ppf () = fprintf ppf ";@ " in
        let field ppf (name, e) = fprintf ppf "@[<hov 2>%s =@ %a@]" name (print 1) e in
        fprintf ppf "@[<hv 2>{ %a@;<1 -2>}@]" (pp_print_list ~pp_sep:separator field) fields

and case ppf (pattern, e) = fprintf ppf "@[<hov 4>| %s ->@ %a@]" pattern (print 1) e

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let buffer = Buffer.create 1000 in
  let ppf = formatter_of_buffer buffer in
  pp_set_formatter_stag_functions ppf
    { (pp_get_formatter_stag_functions ppf ()) with
      mark_open_stag = (function String_tag name -> "<" ^ name ^ ">" | _ -> "");
      mark_close_stag = (fun _ -> "</>") };
  let digest = ref "" and lines = ref 0 in
  for i = 1 to rounds do
    Buffer.clear buffer;
    pp_set_margin ppf (40 + (i mod 3 * 30));
    pp_set_tags ppf (i land 1 = 0);
    fprintf ppf "@[<v>%a@,%d: %s, %5.2f@]@." (print 0) (make (i * 31) 5) i (String.make (i mod 9) '-') (float i /. 7.);
    let text = Buffer.contents buffer in
    String.iter (fun c -> if c = '\n' then incr lines) text;
    digest := Digest.string (!digest ^ text);
    if i = 3 then print_string text
  done;
  Stdlib.Printf.printf "%d lines %s\n" !lines (Digest.to_hex !digest)
