(* JSON: a document is built, printed, parsed and transformed. *)
type json =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | List of json list
  | Object of (string * json) list

let escape b s =
  Buffer.add_char b '"';
  String.iter
    (function
      | '"' -> Buffer.add_string b "\\\""
      | '\\' -> Buffer.add_string b "\\\\"
      | '\n' -> Buffer.add_string b "\\n"
      | c when c < ' ' -> Printf.bprintf b "\\u%04x" (Char.code c)
      | c -> Buffer.add_char b c)
    s;
  Buffer.add_char b '"'

let separated b print = List.iteri (fun i x -> if i > 0 then Buffer.add_char b ','; print x)

let rec print b = function
  | Null -> Buffer.add_string b "null"
  | Bool x -> Buffer.add_string b (string_of_bool x)
  | Number x ->
      if Float.is_integer x then Buffer.add_string b (string_of_int (int_of_float x))
      else Printf.bprintf b "%.17g" x
  | String s -> escape b s
  | List l ->
      Buffer.add_char b '[';
      separated b (print b) l;
      Buffer.add_char b ']'
  | Object fields ->
      Buffer.add_char b '{';
      separated b
        (fun (k, v) ->
          escape b k;
          Buffer.add_char b ':';
          print b v)
        fields;
      Buffer.add_char b '}'

exception Bad of int

let parse s =
  let pos = ref 0 in
  let n = String.length s in
  let bad () = raise (Bad !pos) in
  let peek () = if !pos < n then s.[!pos] else '\000' in
  let rec skip () =
    match peek () with
    | ' ' | '\n' | '\t' -> incr pos; skip ()
    | _ -> ()
  in
  let eat c = skip (); if peek () = c then incr pos else bad () in
  let literal word v =
    let l = String.length word in
    if !pos + l <= n && String.sub s !pos l = word then (pos := !pos + l; v) else bad ()
  in
  let text () =
    eat '"';
    let b = Buffer.create 16 in
    let rec go () =
      match peek () with
      | '"' -> incr pos
      | '\\' ->
          incr pos;
          (match peek () with
          | 'n' -> Buffer.add_char b '\n'
          | 'u' ->
              Buffer.add_char b (Char.chr (int_of_string ("0x" ^ String.sub s (!pos + 1) 4)));
              pos := !pos + 4
          | c -> Buffer.add_char b c);
          incr pos;
          go ()
      | '\000' when !pos >= n -> bad ()
      | c ->
          Buffer.add_char b c;
          incr pos;
          go ()
    in
    go ();
    Buffer.contents b
  in
  let number () =
    let start = !pos in
    let rec go () =
      match peek () with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> incr pos; go () | _ -> ()
    in
    go ();
    if !pos = start then bad ();
    Number (float_of_string (String.sub s start (!pos - start)))
  in
  let rec value () =
    skip ();
    match peek () with
    | '{' -> incr pos; Object (members '}' (fun () -> skip (); let k = text () in eat ':'; (k, value ())))
    | '[' -> incr pos; List (members ']' value)
    | '"' -> String (text ())
    | 't' -> literal "true" (Bool true)
    | 'f' -> literal "false" (Bool false)
    | 'n' -> literal "null" Null
    | _ -> number ()
  and members : 'a. char -> (unit -> 'a) -> 'a list =
   fun close one ->
    skip ();
    if peek () = close then (incr pos; [])
    else
      let rec go acc =
        let acc = one () :: acc in
        skip ();
        match peek () with
        | ',' -> incr pos; go acc
        | c when c = close -> incr pos; List.rev acc
        | _ -> bad ()
      in
      go []
  in
  let v = value () in
  skip ();
  if !pos <> n then bad ();
  v

let document n =
  List
    (List.init n (fun i ->
         Object
           [
             ("id", Number (float_of_int i));
             ("name", String (Printf.sprintf "user \"%d\"\n" i));
             ("score", Number (float_of_int (i * 7919 mod 1000) /. 3.));
             ("tags", List (List.init (i mod 5) (fun j -> String ("tag" ^ string_of_int j))));
             ("active", Bool (i land 1 = 0));
             ("parent", if i = 0 then Null else Object [ ("id", Number (float_of_int (i / 2))) ]);
           ]))

let rec total = function
  | Number x -> x
  | List l -> List.fold_left (fun s v -> s +. total v) 0. l
  | Object fields -> List.fold_left (fun s (_, v) -> s +. total v) 0. fields
  | Null | Bool _ | String _ -> 0.

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let doc = document 300 in
  let digest = ref "" in
  for _ = 1 to rounds do
    let b = Buffer.create 4096 in
    print b doc;
    let text = Buffer.contents b in
    let back = parse text in
    if back <> doc then failwith "what was parsed is not what was printed";
    digest := Digest.to_hex (Digest.string text)
  done;
  Printf.printf "%s %.6f\n" !digest (total doc)
