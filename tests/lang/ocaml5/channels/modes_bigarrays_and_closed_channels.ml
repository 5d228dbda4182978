(* In_channel and Out_channel of 5.x: buffering, modes, bigarrays, closed channels. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let unit f () = f (); "done"
let file = Filename.temp_file "channels" "data"
let contents () = In_channel.with_open_bin file In_channel.input_all
external raw_input_bigarray : in_channel -> ('a, 'b, 'c) Bigarray.Array1.t -> int -> int -> int = "caml_ml_input_bigarray"
external raw_output_bigarray : out_channel -> ('a, 'b, 'c) Bigarray.Array1.t -> int -> int -> unit = "caml_ml_output_bigarray"

let () =
  let oc = open_out_bin file in
  p "binary %b %b, buffered %b %b" (Out_channel.is_binary_mode oc) (In_channel.is_binary_mode stdin)
    (Out_channel.is_buffered oc) (Out_channel.is_buffered stderr);
  Out_channel.set_binary_mode oc false;
  p "text mode %b" (Out_channel.is_binary_mode oc);
  output_string oc "one";
  p "%S" (contents ());
  Out_channel.set_buffered oc false;
  p "%S %b" (contents ()) (Out_channel.is_buffered oc);
  output_string oc " two"; p "%S" (contents ());
  output_char oc '!'; p "%S" (contents ());
  output_byte oc 65; p "%S" (contents ());
  output_binary_int oc 0x41424344; p "%S" (contents ());
  output_substring oc "abcdef" 2 2; p "%S" (contents ());
  output_value oc [ 1; 2 ]; p "%d" (String.length (contents ()));
  Marshal.to_channel oc (Array.make 100 "x") []; p "%d" (String.length (contents ()));
  Out_channel.set_buffered oc true;
  output_string oc "kept"; p "%d" (String.length (contents ()));
  p "pos %d length %d" (pos_out oc) (out_channel_length oc);
  close_out oc;
  p "%d" (String.length (contents ()))

let () =
  let big n = Bigarray.(Array1.create Char C_layout n) in
  let a = big 200000 in
  for i = 0 to 199999 do a.{i} <- Char.chr (i * 31 / 7 land 255) done;
  Out_channel.with_open_bin file (fun oc ->
      Out_channel.output_bigarray oc a 10 5;
      Out_channel.output_bigarray oc a 0 200000;
      Out_channel.output_bigarray oc a 7 0;
      attempt "out of range" (unit (fun () -> Out_channel.output_bigarray oc a 199990 11));
      attempt "negative" (unit (fun () -> Out_channel.output_bigarray oc a (-1) 5));
      Out_channel.set_buffered oc false;
      Out_channel.output_bigarray oc a 5 100;
      p "written %d" (String.length (contents ())));
  p "%s" (Digest.to_hex (Digest.file file));
  In_channel.with_open_bin file (fun ic ->
      let b = big 300000 in
      Bigarray.Array1.fill b '.';
      let n = In_channel.input_bigarray ic b 3 10 in
      p "read %d %C%C%C%C" n b.{2} b.{3} b.{2 + n} b.{3 + n};
      p "nothing %d" (In_channel.input_bigarray ic b 3 0);
      attempt "really" (fun () -> match In_channel.really_input_bigarray ic b 0 150000 with Some () -> "some" | None -> "none");
      p "%C%C" b.{0} b.{149999};
      attempt "really too much" (fun () -> match In_channel.really_input_bigarray ic b 0 150000 with Some () -> "some" | None -> "none");
      attempt "at the end" (fun () -> string_of_int (In_channel.input_bigarray ic b 0 10));
      attempt "out of range" (fun () -> string_of_int (In_channel.input_bigarray ic b 299999 2));
      attempt "negative" (fun () -> string_of_int (In_channel.input_bigarray ic b 0 (-1))));
  In_channel.with_open_bin file (fun ic ->
      let b = big 16 in
      let n = raw_input_bigarray ic b 4 4 in
      p "raw %d %C" n b.{4};
      Out_channel.with_open_bin (file ^ "2") (fun oc -> raw_output_bigarray oc b 4 4; raw_output_bigarray oc b 16 0);
      p "%S" (In_channel.with_open_bin (file ^ "2") In_channel.input_all));
  Sys.remove (file ^ "2")

let () =
  let oc = open_out_bin file in
  output_string oc "lost?";
  close_out oc;
  let a = Bigarray.(Array1.create Char C_layout 4) in
  attempt "char" (unit (fun () -> output_char oc 'a'));
  attempt "byte" (unit (fun () -> output_byte oc 3));
  attempt "int" (unit (fun () -> output_binary_int oc 3));
  attempt "string" (unit (fun () -> output_string oc "abc"));
  attempt "nothing" (unit (fun () -> output_string oc ""));
  attempt "substring" (unit (fun () -> output_substring oc "abc" 1 1));
  attempt "bigarray" (unit (fun () -> Out_channel.output_bigarray oc a 0 4));
  attempt "no bigarray" (unit (fun () -> Out_channel.output_bigarray oc a 0 0));
  attempt "value" (unit (fun () -> output_value oc 1));
  attempt "flush" (unit (fun () -> flush oc));
  attempt "flush_all" (unit flush_all);
  attempt "seek" (unit (fun () -> seek_out oc 0));
  attempt "pos" (fun () -> string_of_int (pos_out oc));
  attempt "length" (fun () -> string_of_int (out_channel_length oc));
  attempt "is_buffered" (fun () -> string_of_bool (Out_channel.is_buffered oc));
  attempt "set_buffered" (unit (fun () -> Out_channel.set_buffered oc false));
  attempt "isatty" (fun () -> string_of_bool (Out_channel.isatty oc));
  attempt "close again" (unit (fun () -> close_out oc));
  attempt "close_noerr" (unit (fun () -> close_out_noerr oc));
  let ic = open_in_bin file in
  ignore (input_char ic);
  close_in ic;
  attempt "char" (fun () -> String.make 1 (input_char ic));
  attempt "line" (fun () -> input_line ic);
  attempt "int" (fun () -> string_of_int (input_binary_int ic));
  attempt "input" (fun () -> string_of_int (input ic (Bytes.create 5) 0 5));
  attempt "input nothing" (fun () -> string_of_int (input ic (Bytes.create 5) 0 0));
  attempt "bigarray" (fun () -> string_of_int (In_channel.input_bigarray ic a 0 4));
  attempt "bigarray nothing" (fun () -> string_of_int (In_channel.input_bigarray ic a 0 0));
  attempt "input_all" (fun () -> In_channel.input_all ic);
  attempt "value" (unit (fun () -> ignore (input_value ic : int)));
  attempt "seek" (unit (fun () -> seek_in ic 0));
  attempt "seek further" (unit (fun () -> seek_in ic 100));
  attempt "pos" (fun () -> string_of_int (pos_in ic));
  attempt "length" (fun () -> string_of_int (in_channel_length ic));
  attempt "isatty" (fun () -> string_of_bool (In_channel.isatty ic));
  attempt "close again" (unit (fun () -> close_in ic));
  attempt "digest" (fun () -> Digest.to_hex (Digest.channel ic (-1)));
  Sys.remove file
