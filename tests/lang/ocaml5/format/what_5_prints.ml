let () =
  Format.printf "%#d %#x@." 1234567 0xabcdef;
  Format.printf "@[<hov 2>%a@]@." (Format.pp_print_list ~pp_sep:Format.pp_print_space Format.pp_print_int) (List.init 40 Fun.id);
  Format.printf "%a %a@." (Format.pp_print_option Format.pp_print_int) (Some 3) (Format.pp_print_result ~ok:Format.pp_print_int ~error:Format.pp_print_string) (Error "e");
  Format.printf "%a@." (Format.pp_print_seq ~pp_sep:(fun ppf () -> Format.fprintf ppf ";@ ") Format.pp_print_float) (List.to_seq [1.; 2.5]);
  Format.printf "%a %a@." (Format.pp_print_either ~left:Format.pp_print_int ~right:Format.pp_print_string) (Left 1) (Format.pp_print_array Format.pp_print_int) [| 1; 2 |];
  Format.printf "@[<v>%a@]@." Format.pp_print_text "words that are\nlong"; Printf.printf "%h %F %#F %H\n" 0.1 1. 1. 2.5; Printf.printf "%i %Li %ni %li %u\n" 1 2L 3n 4l (-1);
  print_string (Format.asprintf "%.3g|%10s|%-10s|%+d|% d|%05d|%x|%X|%o\n" 3.14159 "r" "l" 5 5 42 255 255 8); Format.printf "@{<b>tag@}@."; Format.set_mark_tags true; Format.printf "@{<b>tag@}@.";
  let buf = Buffer.create 10 in let ppf = Format.formatter_of_buffer buf in Format.pp_set_margin ppf 10; Format.fprintf ppf "@[aaa@ bbb@ ccc@ ddd@]@."; print_string (Buffer.contents buf); Format.printf "%t@." (fun ppf -> Format.pp_print_bytes ppf (Bytes.of_string "bytes"));
  Scanf.sscanf "12 1F 1.5 word \"q\"" "%d %x %f %s %S" (fun a b c d e -> Printf.printf "%d %d %g %s %s\n" a b c d e)
