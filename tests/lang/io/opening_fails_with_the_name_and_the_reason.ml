let try_ name f =
  match f () with
  | _ -> Printf.printf "%s: opened\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  try_ "missing" (fun () -> close_in (open_in "missing"));
  try_ "no folder" (fun () -> close_out (open_out "none/such"));
  try_ "directory" (fun () -> close_out (open_out "."));
  try_ "NUL" (fun () -> close_in (open_in "a\000b"));
  try_ "empty" (fun () -> close_in (open_in ""));
  try_ "through a file" (fun () -> close_out (open_out "f"); close_in (open_in "f/g"));
  try_ "exclusive" (fun () -> close_out (open_out_gen [ Open_creat; Open_excl; Open_wronly ] 0o600 "f"));
  try_ "exclusive new" (fun () -> close_out (open_out_gen [ Open_creat; Open_excl; Open_wronly ] 0o600 "g"));
  try_ "long" (fun () -> close_in (open_in (String.make 5000 'x')));
  try_ "reading a directory" (fun () ->
      let ic = open_in "." in
      try_ "its length" (fun () -> in_channel_length ic);
      ignore (input_char ic));
  try_ "writing to a channel for reading" (fun () ->
      let oc = open_out_gen [ Open_rdonly ] 0 "f" in
      output_string oc "x";
      flush oc)
