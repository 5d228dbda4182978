let rec copy = function [] -> [] | x :: l -> let y = x + 1 in y :: copy l

let () =
  let long = List.init 2_000_000 (fun i -> i) in
  (match copy long with
   | l -> Printf.printf "copied %d\n" (List.length l)
   | exception Stack_overflow -> print_endline "copy overflowed");
  (match List.fold_right (fun x acc -> x + acc) long 0 with
   | n -> Printf.printf "%d\n" n
   | exception Stack_overflow -> print_endline "fold_right overflowed");
  Printf.printf "%d\n" (List.length (List.rev_map succ long))
