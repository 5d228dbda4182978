(* flags: -g *)
let rec walk = function
  | [] -> raise Not_found
  | x :: rest -> if x then 1 else 1 + walk rest
let () =
  Printexc.record_backtrace true;
  (try ignore (walk [ false; false ]) with Not_found -> ());
  let bt = Printexc.get_raw_backtrace () in
  (try ignore (int_of_string "?") with Failure _ -> ());
  Printexc.print_raw_backtrace stderr bt;
  Printf.printf "%d\n" (walk [ false; false; false ])
