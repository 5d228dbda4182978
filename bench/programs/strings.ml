(* Strings, bytes and buffers: word counting, reversal, search, a run-length code. *)
let words = [| "camel"; "desert"; "dune"; "caravan"; "oasis"; "hump"; "sand"; "water"; "salt" |]

let text n =
  let b = Buffer.create 1024 in
  for i = 0 to n - 1 do
    if i > 0 then Buffer.add_char b (if i mod 11 = 0 then '\n' else ' ');
    Buffer.add_string b words.(i * i mod Array.length words);
    if i mod 7 = 0 then Buffer.add_string b (string_of_int i)
  done;
  Buffer.contents b

let reverse s = String.init (String.length s) (fun i -> s.[String.length s - 1 - i])

let run_length s =
  let b = Buffer.create (String.length s) in
  let n = String.length s in
  let i = ref 0 in
  while !i < n do
    let j = ref !i in
    while !j < n && s.[!j] = s.[!i] do
      incr j
    done;
    if !j - !i > 1 then Buffer.add_string b (string_of_int (!j - !i));
    Buffer.add_char b s.[!i];
    i := !j
  done;
  Buffer.contents b

let occurrences needle s =
  let n = String.length needle and count = ref 0 in
  for i = 0 to String.length s - n do
    if String.sub s i n = needle then incr count
  done;
  !count

let rot13 s =
  let b = Bytes.of_string s in
  Bytes.iteri
    (fun i c ->
      match c with
      | 'a' .. 'm' -> Bytes.set b i (Char.chr (Char.code c + 13))
      | 'n' .. 'z' -> Bytes.set b i (Char.chr (Char.code c - 13))
      | _ -> ())
    b;
  Bytes.unsafe_to_string b

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let counts = Hashtbl.create 100 in
  let total = ref 0 in
  for round = 1 to rounds do
    let t = text (2000 + round) in
    let all = List.concat_map (String.split_on_char ' ') (String.split_on_char '\n' t) in
    List.iter
      (fun w ->
        let w = String.uppercase_ascii w in
        Hashtbl.replace counts w (1 + Option.value ~default:0 (Hashtbl.find_opt counts w)))
      all;
    let joined = String.concat "-" (List.rev all) in
    total := !total + occurrences "dune" joined;
    if not (String.equal (reverse (reverse t)) t) then failwith "reverse";
    if rot13 (rot13 t) <> t then failwith "rot13";
    total := !total + String.length (run_length (String.concat "" [ t; String.make 500 'x' ]))
  done;
  Printf.printf "%d, %d words, %s\n" !total (Hashtbl.length counts)
    (Digest.to_hex (Digest.string (text 5000)))
