(* stdin: abcdefghijklmnopqrstuvwxyz\n0123456789\nlast *)
let () =
  let b = Bytes.make 10 '.' in
  Printf.printf "%c%c\n" (input_char stdin) (Char.chr (input_byte stdin));
  let n = input stdin b 2 5 in
  Printf.printf "%d %s\n" n (Bytes.to_string b);
  print_endline (really_input_string stdin 4);
  print_endline (read_line ());
  Printf.printf "%d\n" (Scanf.scanf "%3d" (fun n -> n));
  (try seek_in stdin 0; print_endline "seeked" with Sys_error s -> print_endline s);
  (try Printf.printf "%d\n" (in_channel_length stdin) with Sys_error s -> print_endline s);
  let n = ref 0 in
  (try while true do ignore (input_char stdin); incr n done with End_of_file -> ());
  Printf.printf "%b %d\n" (!n >= 0) (input stdin b 0 10)
