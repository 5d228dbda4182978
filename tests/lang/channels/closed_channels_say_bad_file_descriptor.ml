let attempt name f = match f () with
  | () -> Printf.printf "%s ok\n" name
  | exception Sys_error s -> Printf.printf "%s: %s\n" name s
  | exception End_of_file -> Printf.printf "%s: eof\n" name

let () =
  let oc = open_out "f" in
  output_string oc "text";
  close_out oc;
  attempt "close twice" (fun () -> close_out oc);
  attempt "flush" (fun () -> flush oc);
  attempt "output small" (fun () -> output_string oc "x");
  attempt "output and flush" (fun () -> output_string oc "x"; flush oc);
  attempt "output char" (fun () -> output_char oc 'c');
  attempt "seek" (fun () -> seek_out oc 0);
  attempt "length" (fun () -> ignore (out_channel_length oc));
  attempt "pos" (fun () -> Printf.printf "%b " (pos_out oc >= 0));
  let ic = open_in "f" in
  ignore (input_char ic);
  close_in ic;
  attempt "close in twice" (fun () -> close_in ic);
  attempt "input" (fun () -> ignore (input_char ic));
  attempt "input_line" (fun () -> ignore (input_line ic));
  attempt "length in" (fun () -> ignore (in_channel_length ic));
  attempt "seek in" (fun () -> seek_in ic 0);
  attempt "binary" (fun () -> set_binary_mode_in ic true);
  attempt "value" (fun () -> ignore (input_value ic))
