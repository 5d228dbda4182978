let text =
  "the quick brown fox jumps over the lazy dog and the dog barks at the fox "
  ^ "while the quick cat sleeps"

module M = Map.Make (String)

let () =
  let words = String.split_on_char ' ' text in
  let count = List.fold_left (fun m w -> M.update w (fun n -> Some (1 + Option.value n
      ~default:0)) m) M.empty words in
  let sorted = List.sort (fun (a, n) (b,
      m) -> if n <> m then compare m n else compare a b) (M.bindings count) in
  List.iter (fun (w, n) -> Printf.printf "%-8s%3d\n" w n) sorted;
  let h = Hashtbl.create 10 in
  List.iter (fun w -> Hashtbl.replace h w (1 + try Hashtbl.find h w with Not_found -> 0)) words;
  Printf.printf "%b\n" (M.for_all (fun w n -> Hashtbl.find h w = n) count);
  let lengths = Array.make 10 0 in
  List.iter (fun w -> let n = String.length w in lengths.(n) <- lengths.(n) + 1) words;
  Array.iteri (fun i n -> if n > 0 then Printf.printf "%d:%s " i (String.make n '*')) lengths;
  print_newline ()
