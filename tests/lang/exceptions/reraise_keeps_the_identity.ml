exception E of int ref

let () =
  let cell = ref 0 in
  let original = E cell in
  let seen = ref [] in
  let rec nest n =
    if n = 0 then raise original
    else
      try nest (n - 1) with
      | E r as e ->
        incr r;
        seen := (e == original) :: !seen;
        if n mod 2 = 0 then raise e else raise_notrace e
  in
  (try nest 10 with E r -> Printf.printf "%d %b\n" !r (r == cell));
  List.iter (Printf.printf "%b ") !seen;
  print_newline ();
  let through f = try f () with Not_found -> print_endline "wrong handler" in
  (try through (fun () -> raise Exit) with Exit -> print_endline "passed through")
