(* stdin: 42\n2.5\nnot a number\n\n *)
let () =
  Printf.printf "%d\n" (read_int ());
  Printf.printf "%g\n" (read_float ());
  (try ignore (read_int ()) with Failure s -> print_endline s);
  Printf.printf "%b\n" (read_int_opt () = None);
  (try ignore (read_line ()) with End_of_file -> print_endline "End_of_file");
  (try ignore (read_float_opt ()) with End_of_file -> print_endline "End_of_file")
