#!/usr/bin/env bactrian
(* The most frequent words of standard input. *)
let counts : (string, int) Hashtbl.t = Hashtbl.create 64
let letter c = (c >= 'a' && c <= 'z') || c = '\''
let words line =
  let buffer = Buffer.create 16 and found = ref [] in
  let flush () =
    if Buffer.length buffer > 0 then found := Buffer.contents buffer :: !found;
    Buffer.clear buffer in
  let take c = if letter c then Buffer.add_char buffer c else flush () in
  String.iter take (String.lowercase_ascii line ^ " ");
  List.rev !found
let count word = Option.value ~default:0 (Hashtbl.find_opt counts word)
let add word = Hashtbl.replace counts word (1 + count word)
let () = try while true do List.iter add (words (input_line stdin)) done with End_of_file -> ()
let all = List.of_seq (Hashtbl.to_seq counts)
let () =
  List.sort (fun (a, n) (b, m) -> compare (m, a) (n, b)) all
  |> List.iteri (fun i (word, n) -> if i < 5 then Printf.printf "%4d %s\n" n word)
