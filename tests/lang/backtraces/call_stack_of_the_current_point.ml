(* flags: -g *)
let rec f n = if n = 0 then Printexc.get_callstack 100 else begin
    let r = f (n - 1) in
    ignore (Sys.opaque_identity r);
    r
  end

let g n =
  let r = f n in
  Sys.opaque_identity r

let () =
  print_string (Printexc.raw_backtrace_to_string (g 3));
  let few = Printexc.get_callstack 1 in
  Printf.printf "%d\n" (Printexc.raw_backtrace_length few);
  let none = Printexc.get_callstack 0 in
  Printf.printf "%d\n" (Printexc.raw_backtrace_length none);
  let inside = List.map (fun x -> ignore x; Printexc.get_callstack 10) [ 1 ] in
  print_string (Printexc.raw_backtrace_to_string (List.hd inside));
  let guarded = try ignore (int_of_string "1"); Printexc.get_callstack 10 with Exit -> none in
  print_string (Printexc.raw_backtrace_to_string guarded)
