external next_number : unit -> int = "host_next_number"
external apply_twice : (int -> int) -> int -> int = "host_apply_twice"
external root : float -> float = "host_root"

let () =
  let first = next_number () in
  Printf.printf "%d %d\n" first (next_number ());
  Printf.printf "%d\n" (apply_twice (fun n -> n * 10) 7);
  (try ignore (apply_twice (fun _ -> raise Not_found) 7) with Not_found -> print_endline "not found");
  Printf.printf "%.3f\n%!" (root 2.);
  ignore (root (-2.))
