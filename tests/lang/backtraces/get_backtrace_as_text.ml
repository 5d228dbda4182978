(* flags: -g *)
let rec f n = if n = 0 then raise Not_found else 1 + f (n - 1)

let () =
  Printf.printf "%b\n" (Printexc.backtrace_status ());
  (try ignore (f 2) with Not_found -> print_string ("[" ^ Printexc.get_backtrace () ^ "]\n"));
  Printexc.record_backtrace true;
  Printf.printf "%b\n" (Printexc.backtrace_status ());
  (try ignore (f 2) with Not_found -> print_string ("[" ^ Printexc.get_backtrace () ^ "]\n"));
  Printexc.record_backtrace false;
  (try ignore (f 2) with Not_found -> print_string ("[" ^ Printexc.get_backtrace () ^ "]\n"))
