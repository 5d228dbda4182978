let try_ name f =
  match f () with
  | s -> Printf.printf "%s: %s\n" name s
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  ignore (Sys.command "mkfifo f");
  let ic = open_in_gen [ Open_rdonly; Open_nonblock ] 0 "f" in
  try_ "no writer" (fun () -> input_line ic);
  let oc = open_out_gen [ Open_wronly; Open_nonblock ] 0 "f" in
  try_ "char" (fun () -> String.make 1 (input_char ic));
  try_ "line" (fun () -> input_line ic);
  try_ "input" (fun () -> string_of_int (input ic (Bytes.create 5) 0 5));
  output_string oc "partial";
  flush oc;
  try_ "partial line" (fun () -> input_line ic);
  output_string oc " and the rest\n";
  flush oc;
  try_ "line" (fun () -> input_line ic);
  try_ "too much" (fun () -> output_string oc (String.make 200000 'x'); "written");
  Printf.printf "%d\n" (pos_out oc);
  try_ "flush" (fun () -> flush oc; "flushed");
  let b = Bytes.create 100000 in
  try_ "drain" (fun () -> string_of_int (input ic b 0 100000));
  try_ "flush" (fun () -> flush oc; "flushed");
  Printf.printf "%d\n" (pos_out oc);
  try_ "pos" (fun () -> string_of_int (pos_in ic));
  close_out_noerr oc
