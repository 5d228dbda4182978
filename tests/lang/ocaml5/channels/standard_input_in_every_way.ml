(* stdin: line one\nline two\n\nlast without newline *)
(* Each way to read standard input to its end; modes, positions, closed channels, a full disk at exit. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  p "%s" (read_line ()); p "%b" (In_channel.input_char stdin = Some 'l');
  p "%s" (match In_channel.really_input_string stdin 3 with Some s -> s | None -> "none");
  p "%S" (input_line stdin); p "%S" (read_line ()); let b = Bytes.make 30 '.' in
  let n = input stdin b 5 10 in p "%d" n; p "%b" (In_channel.really_input_string stdin 100 = None);
  p "%b" (match read_line () with _ -> false | exception End_of_file -> true);
  p "%b" (In_channel.input_line stdin = None); p "%d" (In_channel.input stdin b 0 10);
  p "%S" (In_channel.input_all stdin); p "%Ld" (In_channel.pos stdin |> fun x -> if x >= 0L then 1L else x);
  (match In_channel.length stdin with n -> p "len" | exception Sys_error s -> p "%s" s);
  p "%b" (In_channel.isatty stdin);
  (match seek_in stdin 0 with () -> p "seek ok" | exception Sys_error s -> p "%s" s); close_in stdin;
  (match input_char stdin with _ -> p "?" | exception Sys_error s -> p "%s" s | exception End_of_file -> p "eof");
  prerr_string "err "; prerr_endline "done"; print_bytes (Bytes.of_string "bytes"); print_char '\n';
  print_int 3; print_float 1.5; print_newline (); Out_channel.output_byte stdout 300; p "";
  (match output stdout b 20 20 with () -> p "?" | exception Invalid_argument s -> p "%s" s);
  (match output_substring stdout "abc" 2 2 with () -> p "?" | exception Invalid_argument s -> p "%s" s);
  (match really_input_string stdin (-1) with _ -> p "?" | exception e -> p "%s" (Printexc.to_string e));
  let oc = open_out_gen [ Open_append; Open_creat; Open_wronly; Open_excl ] 0o600 "x" in output_binary_int oc 0x01020304;
  output_value oc [ 1 ]; p "%d" (pos_out oc); seek_out oc 1; output_byte oc 0xff;
  p "%d" (out_channel_length oc); close_out oc; close_out oc; close_out_noerr oc;
  (match flush oc with () -> p "flush ok" | exception Sys_error s -> p "%s" s);
  (match output_char oc 'c' with () -> p "?" | exception Sys_error s -> p "%s" s);
  let ic = open_in_bin "x" in p "%x" (input_binary_int ic); p "%d" (in_channel_length ic); seek_in ic 20;
  p "%d" (pos_in ic);
  (match open_out_gen [ Open_creat; Open_excl; Open_wronly ] 0o600 "x" with _ -> p "?" | exception Sys_error s -> p "%s" s);
  (match set_binary_mode_in ic true with () -> p "ok");
  Out_channel.with_open_gen [ Open_wronly; Open_trunc ] 0 "x" (fun oc -> Out_channel.set_buffered oc false; output_string oc "unbuffered"; p "%s" (In_channel.with_open_bin "x" In_channel.input_all); p "%b" (Out_channel.is_buffered oc));
  p "%s" (String.concat "|" (In_channel.with_open_text "x" In_channel.input_lines));
  (match In_channel.with_open_bin "x" (fun ic -> failwith "inside") with () -> () | exception Failure s -> p "%s" s);
  (match Out_channel.with_open_bin "/dev/full" (fun oc -> output_string oc "x") with () -> p "?" | exception Sys_error s -> p "%s" s);
  let oc = open_out "/dev/full" in output_string oc "lost at exit"
