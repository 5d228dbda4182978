(* ocaml5: no: it has no set_formatter_tag_functions *)
open Format

let () =
  let b = Buffer.create 100 in
  let ppf = formatter_of_buffer b in
  pp_set_tags ppf true;
  fprintf ppf "@{<bold>text@} and @{<i>more @{<u>nested@}@}@?";
  print_endline (Buffer.contents b);
  print_endline (asprintf "%d @[<v>%s@,%s@]" 1 "a" "b");
  print_endline (sprintf "@[%s@ %s@]" "x" "y");
  set_formatter_tag_functions { (get_formatter_tag_functions ()) with
                                mark_open_tag = (fun t -> "<" ^ t ^ ">");
                                mark_close_tag = (fun t -> "</" ^ t ^ ">") } [@warning "-3"];
  set_tags true;
  printf "@{<em>x@}@.";
  open_tbox (); set_tab (); print_string "col1  "; set_tab (); print_string "col2"; print_tab ();
  close_tbox (); print_newline ();
  kasprintf print_endline "%s-%d" "k" 3;
  printf "%a|%a@." (pp_print_option pp_print_int) (Some 3)
    (pp_print_result ~ok:pp_print_int ~error:pp_print_string) (Error "e");
  printf "%a@." pp_print_text "some text with spaces\nand newline";
  printf "%a %a@." (pp_print_seq ~pp_sep:pp_print_space pp_print_char) (String.to_seq "abc")
    (pp_print_either ~left:pp_print_int ~right:pp_print_string) (Either.Right "r");
  let sb = make_symbolic_output_buffer () in
  let sf = formatter_of_symbolic_output_buffer sb in
  fprintf sf "@[<v 2>a@,b@]@?";
  List.iter (function
      | Output_flush -> print_string "flush " | Output_newline -> print_string "newline "
      | Output_string s -> print_string ("string:" ^ s ^ " ") | Output_spaces n -> printf
          "spaces:%d " n
      | Output_indent n -> printf "indent:%d " n)
    (flush_symbolic_output_buffer sb);
  print_flush ();
  eprintf "on stderr %s@." "x";
  std_formatter |> fun p -> pp_open_hbox p (); pp_print_string p "box"; pp_close_box p ();
      pp_print_newline p ()
