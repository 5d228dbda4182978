(* Out_channel: modes of opening, buffering, bigarrays, positions. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let name = Filename.temp_file "out" ""
let contents () = In_channel.with_open_bin name In_channel.input_all
let () =
  Out_channel.with_open_bin name (fun oc -> Out_channel.output_string oc "abc"; Out_channel.output_char oc 'd'; Out_channel.output_byte oc 0x165; Out_channel.output_bytes oc (Bytes.of_string "fg");
    Out_channel.output_substring oc "xxhixx" 2 2; Out_channel.output oc (Bytes.of_string "__j__") 2 1; say "%Ld" (Out_channel.pos oc); say "%Ld" (Out_channel.length oc); Out_channel.flush oc; say "%Ld" (Out_channel.length oc));
  say "%S" (contents ());
  Out_channel.with_open_bin name (fun oc -> Out_channel.output_string oc "0123456789"; Out_channel.seek oc 3L; Out_channel.output_string oc "XY"; say "%Ld" (Out_channel.pos oc)); say "%S" (contents ());
  Out_channel.with_open_gen [Open_append; Open_binary] 0o600 name (fun oc -> Out_channel.output_string oc "+more"; say "%Ld" (Out_channel.pos oc)); say "%S" (contents ());
  Out_channel.with_open_gen [Open_wronly; Open_binary] 0o600 name (fun oc -> Out_channel.output_string oc "##"); say "%S" (contents ());
  (match Out_channel.with_open_gen [Open_creat; Open_excl; Open_wronly] 0o600 name ignore with () -> say "?" | exception Sys_error _ -> say "exists");
  let a = Bigarray.(Array1.init char c_layout 26 (fun i -> Char.chr (97 + i))) in
  Out_channel.with_open_bin name (fun oc -> Out_channel.output_bigarray oc a 5 10; Out_channel.output_bigarray oc a 0 0; (match Out_channel.output_bigarray oc a 20 10 with () -> say "?" | exception e -> say "%s" (Printexc.to_string e))); say "%S" (contents ());
  let big = Bigarray.(Array1.create char c_layout 200_000) in Bigarray.Array1.fill big 'z';
  Out_channel.with_open_bin name (fun oc -> Out_channel.output_bigarray oc big 0 200_000); say "%d" (String.length (contents ()));
  Out_channel.with_open_bin name (fun oc -> say "%b" (Out_channel.is_buffered oc);
    Out_channel.output_string oc "buffered"; say "%S" (contents ()); Out_channel.set_buffered oc false; say "%b %S" (Out_channel.is_buffered oc) (contents ());
    Out_channel.output_string oc ",not"; say "%S" (contents ()); Out_channel.output_char oc '!'; output_value oc 1; say "%d" (String.length (contents ())); Out_channel.set_buffered oc true; Out_channel.output_char oc '?'; say "%d" (String.length (contents ())));
  say "%d" (String.length (contents ()));
  say "%b %b %b" (Out_channel.is_buffered stdout) (Out_channel.is_buffered stderr) (Out_channel.isatty stdout);
  say "%b" (Out_channel.is_binary_mode stdout);
  let oc = Out_channel.open_text name in Out_channel.close oc; Out_channel.close oc; Out_channel.flush oc;
  List.iter (fun (n, f) -> match f () with () -> say "%s: fine" n | exception e -> say "%s: %s" n (Printexc.to_string e))
    [ ("char", fun () -> output_char oc 'x'); ("string", fun () -> output_string oc "xy"); ("empty string", fun () -> output_string oc ""); ("seek", fun () -> seek_out oc 1); ("pos", fun () -> ignore (pos_out oc));
      ("length", fun () -> ignore (out_channel_length oc)); ("value", fun () -> output_value oc 1); ("flush", fun () -> flush oc); ("close_noerr", fun () -> close_out_noerr oc) ];
  Sys.remove name
