(* IO2 *)
let try_ name f =
  match f () with
  | s -> Printf.printf "%-14s %s\n" name s
  | exception e -> Printf.printf "%-14s %s\n" name (Printexc.to_string e)

let unit f () = f (); "ok"
let int f () = string_of_int (f ())

let () =
  let oc = open_out_bin "x" in
  output_string oc "hello";
  close_out oc;
  try_ "char" (unit (fun () -> output_char oc 'a'));
  try_ "nothing" (unit (fun () -> output_string oc ""));
  try_ "string" (unit (fun () -> output_string oc "abc"));
  try_ "bytes" (unit (fun () -> output_bytes oc (Bytes.make 70000 'a')));
  try_ "int" (unit (fun () -> output_binary_int oc 1));
  try_ "pos" (int (fun () -> pos_out oc));
  try_ "seek" (unit (fun () -> seek_out oc 0));
  try_ "length" (int (fun () -> out_channel_length oc));
  try_ "flush" (unit (fun () -> flush oc));
  try_ "flush_all" (unit flush_all);
  try_ "close" (unit (fun () -> close_out oc));
  try_ "close_noerr" (unit (fun () -> close_out_noerr oc));
  try_ "binary mode" (unit (fun () -> set_binary_mode_out oc true))

let () =
  let ic = open_in_bin "x" in
  Printf.printf "%c\n" (input_char ic);
  close_in ic;
  try_ "char" (fun () -> String.make 1 (input_char ic));
  try_ "pos" (int (fun () -> pos_in ic));
  try_ "length" (int (fun () -> in_channel_length ic));
  try_ "seek far" (unit (fun () -> seek_in ic 9));
  try_ "line" (fun () -> input_line ic);
  try_ "input" (int (fun () -> input ic (Bytes.create 4) 0 4));
  try_ "input nothing" (int (fun () -> input ic (Bytes.create 4) 0 0));
  try_ "really" (unit (fun () -> really_input ic (Bytes.create 4) 0 4));
  try_ "value" (unit (fun () -> input_value ic));
  try_ "int" (int (fun () -> input_binary_int ic));
  try_ "close" (unit (fun () -> close_in ic));
  try_ "char again" (fun () -> String.make 1 (input_char ic))
