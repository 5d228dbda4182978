(* Millions of samples from few call stacks: words are counted in a map, sorted and joined. *)
module Words = Map.Make (String)

let word i = string_of_int (i * 7919 mod 5003)
let add counts word =
  Words.update word (function None -> Some 1 | Some n -> Some (n + 1)) counts
let count = List.fold_left add
let kept : (int, string list) Hashtbl.t = Hashtbl.create 16

let join words =
  let buffer = Buffer.create 16 in
  List.iter (fun word -> Buffer.add_string buffer word; Buffer.add_char buffer ' ') words;
  Buffer.contents buffer

let () =
  let counts = ref Words.empty in
  for round = 1 to int_of_string Sys.argv.(1) do
    let words = List.init 200 (fun i -> word (i * round)) in
    counts := count !counts words;
    let sorted = List.sort compare (List.rev_map String.uppercase_ascii words) in
    if round land 15 = 0 then Hashtbl.replace kept (round mod 1000) sorted;
    ignore (Sys.opaque_identity (String.split_on_char ' ' (join sorted)))
  done;
  print_int (Words.cardinal !counts)
