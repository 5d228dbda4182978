(* From 5.2 on position -1 is refused like any other negative one, and the channel stays where it was. *)
let attempt name f = print_endline (name ^ ": " ^ match f () with s -> s | exception Sys_error why -> why)
let () =
  let name = Filename.temp_file "seek" "" in
  let oc = open_out_bin name in
  output_string oc "abcdef";
  List.iter (fun n -> attempt (Printf.sprintf "seek_out %d" n) (fun () -> seek_out oc n; "done")) [ -1; -2; min_int; 3 ];
  output_string oc "X";
  close_out oc;
  let ic = open_in_bin name in
  let first = input_char ic in
  List.iter (fun n -> attempt (Printf.sprintf "seek_in %d" n) (fun () -> seek_in ic n; "done")) [ -1; -2; min_int ];
  Printf.printf "%c, at %d: %s\n" first (pos_in ic) (input_line ic)
