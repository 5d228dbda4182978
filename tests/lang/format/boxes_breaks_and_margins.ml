open Format

let rec tree ppf = function
  | 0 -> fprintf ppf "leaf"
  | n -> fprintf ppf "@[<hv 2>node(@,%a,@ %a@;<0 -2>)@]" tree (n - 1) tree (n - 1)

let () =
  printf "@[<h>a@ b@ c@]@.@[<v>a@ b@ c@]@.@[<hov 4>%s@ %s@ %s@]@." (String.make 40 'x')
    (String.make 30 'y') (String.make 30 'z');
  printf "%a@." tree 4;
  set_margin 40;
  printf "%a@." tree 3;
  printf "@[<b 3>%a@]@." (pp_print_list ~pp_sep:(fun ppf () -> fprintf ppf ";@ ") pp_print_int)
    (List.init 40 (fun i -> i));
  printf "@[<v 2>begin@;<1 4>deep@;<1 0>flat@,cut@]@.end@.";
  printf "@[%s@\n%s@]@." "forced" "newline";
  printf "%s@ %d@ %a@." "out of box" 5 pp_print_bool true;
  set_max_boxes 3;
  printf "@[1@[2@[3@[4@[5@]@]@]@]@]@.";
  set_ellipsis_text "...";
  printf "@[1@[2@[3@[4@[5@]@]@]@]@]@.";
  Printf.printf "%d %d %s\n" (get_margin ()) (get_max_indent ()) (get_ellipsis_text ())
