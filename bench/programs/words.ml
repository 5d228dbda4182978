(* Hash tables with strings as keys: the words of a text, their pairs and their anagrams are
   counted, and a text is generated from what followed what. *)
let syllables = [| "ba"; "ctri"; "an"; "ka"; "mel"; "du"; "ne"; "oa"; "sis"; "ro"; "ma"; "te"; "li"; "so"; "ur" |]
let state = ref 11

let random n =
  state := ((!state * 1103515245) + 12345) land 0x3fffffff;
  !state lsr 9 mod n

(* Short words are frequent, long ones rare. *)
let word () =
  let rec more n = if n > 0 then syllables.(random 15) ^ more (n - 1) else "" in
  more (1 + min (random 4) (random 4))

let text n =
  let b = Buffer.create (6 * n) in
  for _ = 1 to n do
    let w = word () in
    Buffer.add_string b (if random 12 = 0 then String.capitalize_ascii w else w);
    Buffer.add_string b (if random 9 = 0 then ", " else " ")
  done;
  Buffer.contents b

let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')

let iter_words f s =
  let n = String.length s in
  let rec skip i = if i < n then if is_letter s.[i] then scan i (i + 1) else skip (i + 1)
  and scan from i =
    if i < n && is_letter s.[i] then scan from (i + 1)
    else begin
      f (String.lowercase_ascii (String.sub s from (i - from)));
      skip i
    end
  in
  skip 0

let count table key =
  match Hashtbl.find_opt table key with Some r -> incr r | None -> Hashtbl.add table key (ref 1)

let sorted_letters w =
  let b = Bytes.of_string w in
  for i = 1 to Bytes.length b - 1 do
    let c = Bytes.get b i in
    let j = ref i in
    while !j > 0 && Bytes.get b (!j - 1) > c do
      Bytes.set b !j (Bytes.get b (!j - 1));
      decr j
    done;
    Bytes.set b !j c
  done;
  Bytes.to_string b

let top n table =
  let all = Hashtbl.fold (fun key r list -> (!r, key) :: list) table [] in
  List.filteri (fun i _ -> i < n) (List.sort (fun (a, x) (b, y) -> if a = b then compare x y else compare b a) all)

let () =
  let n = 1000 * int_of_string Sys.argv.(1) in
  let s = text n in
  let counts = Hashtbl.create 16 and pairs = Hashtbl.create 16 and anagrams = Hashtbl.create 16 in
  let following : (string, string list) Hashtbl.t = Hashtbl.create 16 in
  let last = ref "" in
  iter_words
    (fun w ->
      count counts w;
      count pairs (!last, w);
      if not (Hashtbl.mem following !last) || random 8 = 0 then
        Hashtbl.replace following !last (w :: Option.value (Hashtbl.find_opt following !last) ~default:[]);
      last := w)
    s;
  Hashtbl.iter (fun w _ -> Hashtbl.add anagrams (sorted_letters w) w) counts;
  let show (count, key) = Printf.printf "%d %s\n" count key in
  List.iter show (top 8 counts);
  List.iter (fun (count, (a, b)) -> show (count, a ^ " " ^ b)) (top 5 pairs);
  let groups = Hashtbl.fold (fun w _ n -> if List.length (Hashtbl.find_all anagrams (sorted_letters w)) > 3 then n + 1 else n) counts 0 in
  Printf.printf "%d words, %d pairs, %d in groups of anagrams\n" (Hashtbl.length counts) (Hashtbl.length pairs) groups;
  let rec walk w n digest =
    if n = 0 then digest
    else
      let choices = Hashtbl.find following w in
      let w = List.nth choices (n mod List.length choices) in
      walk (if Hashtbl.mem following w then w else "") (n - 1) ((digest * 31) + Hashtbl.hash w)
  in
  Printf.printf "%d\n" (walk "" n 0 land 0xffffff)
