(* The names that are there only so that libraries can be opened: calling one raises. *)
external refused : int -> unit = "t_refused"

let () =
  for i = 0 to 7 do
    try refused i; print_endline "returned"
    with Failure m -> print_endline m
  done
