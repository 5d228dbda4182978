let () =
  try
    try exit 9 with
    | Not_found -> print_endline "no"
  with _ -> print_endline "exit raised an exception?"
