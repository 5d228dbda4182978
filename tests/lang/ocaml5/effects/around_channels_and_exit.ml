(* stdin: 3 4\nplus\n5\n *)
(* Effects between reading and writing channels that are closed at the end; exit in a handler. *)
open Effect open Effect.Deep
type _ Effect.t += Line : string option t | Say : string -> unit t
let () = at_exit (fun () -> print_endline "bye")
let with_io f = match f () with () -> print_endline "f ended" | effect Line, k -> continue k (In_channel.input_line stdin) | effect Say s, k -> print_string s;
  continue k ()
let () = with_io (fun () -> let rec go n = match perform Line with None -> n | Some l -> perform (Say (Printf.sprintf "[%s]\n" l)); go (n + 1) in perform (Say (string_of_int (go 0) ^ " lines\n")))
let () =
  let f = Filename.temp_file "e" "ff" in
  let r = match Out_channel.with_open_text f (fun oc -> output_string oc "hello"; perform (Say "x"); output_string oc " world") with () -> "done" | effect Say _, k -> (try discontinue k Exit with Exit -> "exit") in
  print_endline r; print_endline (In_channel.with_open_bin f In_channel.input_all);
  let b = Buffer.create 3 in
  (match In_channel.with_open_bin f (fun ic -> In_channel.fold_lines (fun n l -> perform (Say l); n + 1) 0 ic) with n -> Printf.printf "%d lines\n" n | effect Say l, k -> Buffer.add_string b l; continue k ());
  print_endline (Buffer.contents b); Sys.remove f
let () = match perform (Say "quit") with () -> () | effect Say s, k -> at_exit (fun () -> print_endline ("at_exit after " ^ s));
  exit (try continue k (); 3 with _ -> 4)
