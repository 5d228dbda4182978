let () =
  let s = Bytes.of_string (Marshal.to_string (fun x -> x + 1) [ Marshal.Closures ]) in
  let n = Bytes.length s in
  (* Header 20, block header 5, code pointer's mark 1 and offset 4: then the code's digest. *)
  Printf.printf "%d %x\n" n (Char.code (Bytes.get s 25));
  Bytes.fill s 30 16 '\x11';
  match (Marshal.from_bytes s 0 : int -> int) with
  | _ -> print_endline "accepted"
  | exception Failure m -> print_endline m
