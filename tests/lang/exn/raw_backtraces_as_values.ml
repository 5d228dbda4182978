(* flags: -g *)
(* DI1, DI2 *)
open Printexc
external raw_slot : raw_backtrace -> int -> raw_backtrace_slot = "caml_raw_backtrace_slot"
external length : raw_backtrace -> int = "caml_raw_backtrace_length"
external convert : raw_backtrace_slot -> Slot.t = "caml_convert_raw_backtrace_slot"
external old : unit -> Slot.t array option = "caml_get_exception_backtrace"
external status : unit -> int = "caml_ml_debug_info_status"
external restore : exn -> raw_backtrace -> unit = "caml_restore_raw_backtrace"

let f () = raise Not_found
let g () = 1 + f ()

let () =
  Printf.printf "%b %d\n" (backtrace_status ()) (status ());
  (try ignore (g ()) with Not_found -> ());
  Printf.printf "%d\n" (length (get_raw_backtrace ()));
  record_backtrace true;
  (try ignore (g ()) with Not_found -> ());
  let b = get_raw_backtrace () in
  Printf.printf "%d %d %d\n" (length b) (raw_backtrace_length b) (status ());
  for i = 0 to length b - 1 do
    let s = raw_slot b i in
    (match get_raw_backtrace_next_slot s with None -> () | Some _ -> print_endline "more");
    (match Slot.format i (convert s) with Some t -> print_endline t | None -> print_endline "-");
    Printf.printf "%b %b\n" (Slot.is_raise (convert s)) (Slot.is_inline (convert s));
    (match Slot.name (convert s) with Some n -> print_endline n | None -> print_endline "no name");
    (match Slot.location (convert s) with
     | Some l -> Printf.printf "%s %d %d-%d\n" l.filename l.line_number l.start_char l.end_char
     | None -> print_endline "no location")
  done;
  Printf.printf "%d\n" (status ());
  (try ignore (raw_slot b 99) with Invalid_argument s -> print_endline s);
  (try ignore (raw_slot b (-1)) with Invalid_argument s -> print_endline s);
  (match old () with Some a -> Printf.printf "%d slots\n" (Array.length a) | None -> print_endline "none");
  restore Exit b;
  Printf.printf "%d\n" (length (get_raw_backtrace ()));
  restore Exit (Obj.magic [||]);
  Printf.printf "%d\n" (length (get_raw_backtrace ()));
  (try raise_with_backtrace Exit b with Exit -> print_backtrace stdout);
  record_backtrace true;
  Printf.printf "%d\n" (length (get_raw_backtrace ()));
  record_backtrace false;
  Printf.printf "%d\n" (length (get_raw_backtrace ()));
  let entries = raw_backtrace_entries b in
  Array.iter (fun e -> match backtrace_slots_of_raw_entry e with
      | Some [| s |] -> Printf.printf "%b\n" (Slot.name s <> None)
      | Some _ -> print_endline "several"
      | None -> print_endline "unknown") entries;
  List.iter (fun n -> Printf.printf "%d " (length (get_callstack n))) [ -1; 0; 1; 2; 100; max_int ];
  print_newline ();
  print_string (raw_backtrace_to_string (get_callstack 10));
  let rec deep n = if n = 0 then length (get_callstack 5000) else deep (n - 1) + 0 in
  Printf.printf "%d\n" (deep 2000)
