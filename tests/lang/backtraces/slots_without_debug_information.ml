(* env: OCAMLRUNPARAM=b *)
let rec f n = if n = 0 then raise Not_found else 1 + f (n - 1)

let () =
  try ignore (f 3) with Not_found ->
    let bt = Printexc.get_raw_backtrace () in
    Printf.printf "%d\n" (Printexc.raw_backtrace_length bt);
    Printf.printf "%b\n" (Printexc.backtrace_slots bt = None);
    print_string (Printexc.raw_backtrace_to_string bt)
