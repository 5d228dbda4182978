exception A
exception B of string

let log = ref []
let note s = log := s :: !log

let rec dive n =
  if n = 0 then raise (B "bottom")
  else
    try dive (n - 1) with
    | A -> note "never"
    | B s when n = 3 -> note ("turned at " ^ s); raise A
    | Not_found -> note "never either"

let () =
  (try dive 8 with e -> note (Printexc.to_string e));
  List.iter print_endline (List.rev !log)
