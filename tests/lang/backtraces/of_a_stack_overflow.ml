(* env: OCAMLRUNPARAM=b,l=5k *)
(* flags: -g *)
let rec f n = 1 + f (n + 1)
let () =
  try ignore (f 0) with Stack_overflow ->
    let slots = Option.get (Printexc.backtrace_slots (Printexc.get_raw_backtrace ())) in
    Printf.printf "%b\n" (Array.length slots > 100);
    match Printexc.Slot.location slots.(50) with
    | Some { line_number; start_char; end_char; _ } ->
      Printf.printf "%d %d %d\n" line_number start_char end_char
    | None -> print_endline "nowhere"
