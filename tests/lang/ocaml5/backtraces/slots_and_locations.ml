(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let show bt = match Printexc.backtrace_slots bt with None -> print_endline "no slots" | Some slots -> Array.iteri (fun i s ->
  Printf.printf "%d %b %b %s %s %s\n" i (Printexc.Slot.is_raise s) (Printexc.Slot.is_inline s) (Option.value ~default:"-" (Printexc.Slot.name s))
    (match Printexc.Slot.location s with Some l -> Printf.sprintf "%s:%d:%d-%d" l.filename l.line_number l.start_char l.end_char | None -> "-") (Option.value ~default:"-" (Printexc.Slot.format i s))) slots
module Inner = struct let rec f n = if n = 0 then raise Not_found else 1 + f (n - 1) end
class c = object method m n = Inner.f n + 1 end
let () =
  (try ignore (Inner.f 2) with Not_found -> show (Printexc.get_raw_backtrace ()));
  (try ignore ((new c)#m 0) with Not_found -> show (Printexc.get_raw_backtrace ()));
  (try ignore (List.map (fun n -> Inner.f n) [1]) with Not_found -> show (Printexc.get_raw_backtrace ()));
  (try ignore (int_of_string "x") with Failure _ -> show (Printexc.get_raw_backtrace ()));
  (try ignore [| 1 |].(Sys.opaque_identity 3) with Invalid_argument _ -> show (Printexc.get_raw_backtrace ()));
  (try ignore (1 / Sys.opaque_identity 0) with Division_by_zero -> show (Printexc.get_raw_backtrace ()));
  (try assert (Sys.opaque_identity false) with Assert_failure (f, l, c) -> Printf.printf "%s %d %d\n" f l c; show (Printexc.get_raw_backtrace ()));
  (try try Inner.f 1 |> ignore with e -> let bt = Printexc.get_raw_backtrace () in (try raise Exit with Exit -> ()); Printexc.raise_with_backtrace e bt with Not_found -> show (Printexc.get_raw_backtrace ()));
  let bt = Printexc.get_callstack 5 in Printf.printf "%d %b\n" (Printexc.raw_backtrace_length bt) (Printexc.get_raw_backtrace_next_slot (Printexc.get_raw_backtrace_slot bt 0) = None);
  let rec many n = if n = 0 then failwith "many" else 1 + many (n - 1) in
  (try ignore (many 5000) with Failure _ -> Printf.printf "%d\n" (Printexc.raw_backtrace_length (Printexc.get_raw_backtrace ())))
