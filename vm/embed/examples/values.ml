let count words =
  List.map (fun w -> (w, List.length (List.filter (( = ) w) words)))
    (List.sort_uniq compare words)

let longest = function
  | [] -> invalid_arg "longest: no words"
  | words -> List.fold_left (fun a b -> if String.length b > String.length a then b else a) "" words

let () =
  Callback.register "count" count;
  Callback.register "longest" longest
