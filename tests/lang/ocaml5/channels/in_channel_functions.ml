(* In_channel: whole files, lines, bytes, bigarrays, seeking. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let name = Filename.temp_file "in" ""
let write s = Out_channel.with_open_bin name (fun oc -> Out_channel.output_string oc s)
let opened f = In_channel.with_open_bin name f
let () =
  write "first\nsecond\n\nlast without newline";
  say "%S" (opened In_channel.input_all);
  say "%s" (String.concat "|" (opened In_channel.input_lines));
  opened (fun ic -> let rec go n = match In_channel.input_line ic with Some l -> say "%d %S %Ld" n l (In_channel.pos ic); go (n + 1) | None -> () in go 1);
  say "%d" (opened (In_channel.fold_lines (fun n l -> n + String.length l) 0));
  opened (fun ic -> say "%s %s" (match In_channel.input_char ic with Some c -> String.make 1 c | None -> "-") (match In_channel.input_byte ic with Some n -> string_of_int n | None -> "-");
    say "%Ld %Ld" (In_channel.pos ic) (In_channel.length ic); In_channel.seek ic 6L; say "%s" (match In_channel.really_input_string ic 6 with Some s -> s | None -> "-");
    let b = Bytes.make 10 '.' in say "%d %s" (In_channel.input ic b 2 5) (String.escaped (Bytes.to_string b));
    say "%b" (In_channel.really_input ic b 0 10 = Some ()); say "%b" (In_channel.really_input_string ic 1000 = None));
  opened (fun ic -> let a = Bigarray.(Array1.create char c_layout 12) in Bigarray.Array1.fill a '_';
    let n = In_channel.input_bigarray ic a 3 5 in say "%d %s" n (String.init 12 (fun i -> a.{i}));
    say "%b %s" (In_channel.really_input_bigarray ic a 0 12 = Some ()) (String.escaped (String.init 12 (fun i -> a.{i})));
    (match In_channel.input_bigarray ic a 8 5 with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
    say "%d" (In_channel.input_bigarray ic a 0 0));
  say "%b %b" (opened In_channel.isatty) (opened In_channel.is_binary_mode);
  opened (fun ic -> In_channel.set_binary_mode ic false; say "%b" (In_channel.is_binary_mode ic));
  write ""; say "%S %d" (opened In_channel.input_all) (List.length (opened In_channel.input_lines));
  write (String.concat "" (List.init 20_000 (fun i -> string_of_int i ^ "\n")));
  say "%d %d" (String.length (opened In_channel.input_all)) (List.length (opened In_channel.input_lines));
  opened (fun ic -> ignore (In_channel.input_char ic); say "%d" (String.length (In_channel.input_all ic)));
  (match In_channel.with_open_bin (name ^ ".none") In_channel.input_all with _ -> say "?" | exception Sys_error _ -> say "no such file");
  let ic = In_channel.open_bin name in In_channel.close ic; (match In_channel.input_char ic with _ -> say "?" | exception Sys_error s -> say "%s" s); In_channel.close_noerr ic
