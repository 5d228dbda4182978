(* Regular expressions: module Str finds the fields of a log, rewrites them, and splits them up. *)
let hosts = [| "alpha.example.org"; "beta.example.com"; "gamma.test"; "10.0.0.7"; "delta.example.net" |]
let verbs = [| "GET"; "POST"; "PUT"; "HEAD" |]
let paths = [| "/index.html"; "/images/camel.png?size=20"; "/a/b/c"; "/search?q=humps&lang=en"; "/"; "/old/page.php" |]

let line i =
  let next k n = (i * 7919 / k) mod n in
  Printf.sprintf "%s - - [%02d/Nov/2026:%02d:%02d:%02d] \"%s %s HTTP/1.%d\" %d %d" hosts.(next 1 5) (1 + next 3 28)
    (next 5 24) (next 7 60) (next 11 60) verbs.(next 13 4) paths.(next 17 6) (next 2 2)
    (if next 19 10 = 0 then 404 else 200)
    (next 23 100000)

let entry =
  Str.regexp
    "^\\([^ ]+\\) - - \\[\\([0-9]+\\)/\\([A-Z][a-z]+\\)/[0-9]+:\\([0-9]+\\):[0-9:]+\\] \"\\([A-Z]+\\) \\([^ ]+\\) HTTP/1\\.[01]\" \\([0-9]+\\) \\([0-9]+\\)$"

let domain = Str.regexp "\\.example\\.\\(org\\|com\\|net\\)$"
let query = Str.regexp "[?&]\\([a-z]+\\)=\\([^&]*\\)"
let separators = Str.regexp "[/?&=.]+"
let digits = Str.regexp "[0-9]+"
let vowel = Str.regexp_case_fold "[aeiou]"
let count table key n = Hashtbl.replace table key (n + Option.value (Hashtbl.find_opt table key) ~default:0)

let rec queries path from found =
  match Str.search_forward query path from with
  | exception Not_found -> found
  | _ ->
      let name = Str.matched_group 1 path and end_ = Str.match_end () in
      queries path end_ (name :: found)

let () =
  let n = int_of_string Sys.argv.(1) in
  let bytes = Hashtbl.create 16 and names = Hashtbl.create 16 and parts = Hashtbl.create 16 in
  let bad = ref 0 and local = ref 0 and digest = ref "" in
  for i = 1 to n do
    let text = line i in
    let text = if i mod 50 = 0 then "# " ^ text else text in
    if not (Str.string_match entry text 0) then incr bad
    else begin
      let field k = Str.matched_group k text in
      let host = field 1 and path = field 6 and size = int_of_string (field 8) in
      count bytes (field 5 ^ " " ^ field 7) size;
      if not (Str.string_match (Str.regexp_string "10.") host 0) && Str.replace_first domain "" host = host then incr local;
      List.iter (fun name -> count names name 1) (queries path 0 []);
      List.iter (fun part -> count parts part 1) (Str.split separators path);
      if i mod 8 = 0 then begin
        let masked = Str.global_replace digits "#" text in
        let short = Str.global_substitute vowel (fun s -> String.uppercase_ascii (Str.matched_string s)) masked in
        digest := Digest.string (!digest ^ short)
      end
    end
  done;
  let show table =
    List.iter
      (fun (key, n) -> Printf.printf "%s %d\n" key n)
      (List.sort compare (Hashtbl.fold (fun key n list -> (key, n) :: list) table []))
  in
  show bytes;
  show names;
  show parts;
  Printf.printf "%d %d %s\n" !bad !local (Digest.to_hex !digest)
