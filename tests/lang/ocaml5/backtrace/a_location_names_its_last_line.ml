(* A location that spans lines names both, and its last column counts from the last line. *)
let f x =
  if x > 2 then
    raise
      (Invalid_argument
        "multi")
  else
    x
let g
  y =
  1 +
    f
     y
let () = Printexc.record_backtrace true;
 (try print_int (g 3) with e -> print_string (Printexc.get_backtrace ()));
 (match Printexc.backtrace_slots (Printexc.get_callstack 1) with
  | Some [| slot |] ->
    (match Printexc.Slot.location slot with
     | Some l ->
       Printf.printf "%d %d %d %d %d\n" l.line_number l.start_char l.end_char l.end_line l.end_col
     | None -> ())
  | _ -> ());
 print_int (g
   5)
