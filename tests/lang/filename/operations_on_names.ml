let () =
  let open Filename in
  List.iter (fun s ->
      Printf.printf "%S: %S %S %S %S %b %b\n" s (basename s) (dirname s) (extension s)
          (remove_extension s)
        (is_relative s) (is_implicit s))
    [ ""; "/"; "."; ".."; "a"; "a/b"; "/a/b/"; "a//b"; "./x"; "../y"; ".hidden"; "x.ml";
        "x.tar.gz"; "a.b/c";
      "a.b/.c"; "x."; "//"; "a/." ];
  Printf.printf "%s %s %s\n" (concat "a" "b") (concat "a/" "b") (concat "" "b");
  Printf.printf "%b %b %s\n" (check_suffix "x.ml" ".ml") (check_suffix "x" ".ml") (chop_suffix
      "x.ml" ".ml");
  Printf.printf "%s %b %s\n" (chop_extension "a.b.c") (chop_suffix_opt ~suffix:".c" "a.b" = None)
      (quote "it's");
  Printf.printf "%s %s %s %s\n" current_dir_name parent_dir_name dir_sep null;
  print_endline (quote_command "cmd" ~stdin:"in" ~stdout:"out" ~stderr:"err" [ "a b"; "$x" ]);
  (try ignore (chop_suffix "x" ".ml") with Invalid_argument s -> print_endline s);
  (try ignore (chop_extension "noext") with Invalid_argument s -> print_endline s);
  set_temp_dir_name ".";
  print_endline (get_temp_dir_name ());
  let f = temp_file "pre" ".suf" in
  Printf.printf "%b %b %b\n" (Sys.file_exists f) (check_suffix f ".suf") (String.sub (basename f)
      0 3 = "pre");
  let name, oc = open_temp_file ~mode:[ Open_binary ] "t" "x" in
  output_string oc "temp";
  close_out oc;
  let ic = open_in name in
  print_endline (input_line ic);
  (try ignore (temp_file ~temp_dir:"/nonexistent" "a" "b") with Sys_error _ -> print_endline
      "Sys_error")
