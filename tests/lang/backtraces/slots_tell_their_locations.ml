(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let rec f n = if n = 0 then raise Not_found else 1 + f (n - 1)
let g () = try f 2 with Exit -> 0

let show slot =
  let open Printexc in
  Printf.printf "raise %b inline %b name %s" (Slot.is_raise slot) (Slot.is_inline slot)
    (match Slot.name slot with None -> "-" | Some s -> s);
  (match Slot.location slot with
   | None -> print_string " nowhere"
   | Some { filename; line_number; start_char; end_char } ->
     Printf.printf " %s:%d:%d-%d" filename line_number start_char end_char);
  print_newline ()

let () =
  try ignore (g ()) with Not_found ->
    let bt = Printexc.get_raw_backtrace () in
    Printf.printf "%d\n" (Printexc.raw_backtrace_length bt);
    (match Printexc.backtrace_slots bt with
     | None -> print_endline "no slots"
     | Some slots ->
       Array.iter show slots;
       Array.iteri (fun i s ->
           match Printexc.Slot.format i s with
           | None -> print_endline "-"
           | Some line -> print_endline line) slots);
    let slot = Printexc.get_raw_backtrace_slot bt 0 in
    show (Printexc.convert_raw_backtrace_slot slot);
    Printf.printf "%b\n" (Printexc.get_raw_backtrace_next_slot slot = None);
    print_string (Printexc.raw_backtrace_to_string bt);
    Printexc.print_raw_backtrace stdout bt
