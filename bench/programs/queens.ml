(* Lists and closures: all solutions of the n queens problem. *)
let rec safe queen distance = function
  | [] -> true
  | other :: rest ->
      other <> queen && abs (other - queen) <> distance && safe queen (distance + 1) rest

let range n = List.init n (fun i -> i + 1)

let solutions n =
  let columns = range n in
  let extend boards =
    List.concat_map
      (fun board ->
        List.filter_map (fun q -> if safe q 1 board then Some (q :: board) else None) columns)
      boards
  in
  List.fold_left (fun boards _ -> extend boards) [ [] ] columns

let () =
  let n = int_of_string Sys.argv.(1) in
  let all = solutions n in
  Printf.printf "%d solutions, first %s\n" (List.length all)
    (String.concat " " (List.map string_of_int (List.hd all)))
