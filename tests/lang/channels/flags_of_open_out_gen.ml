let attempt name flags perm file =
  match open_out_gen flags perm file with
  | oc -> Printf.printf "%s opened at %d of %d\n" name (pos_out oc) (out_channel_length oc);
      oc |> close_out
  | exception Sys_error s -> Printf.printf "%s: %s\n" name s

let () =
  attempt "create" [ Open_wronly; Open_creat ] 0o600 "a";
  attempt "exclusive" [ Open_wronly; Open_creat; Open_excl ] 0o600 "a";
  attempt "exclusive new" [ Open_wronly; Open_creat; Open_excl; Open_text ] 0o600 "b";
  attempt "missing" [ Open_wronly ] 0o600 "none";
  attempt "directory" [ Open_wronly ] 0o600 ".";
  attempt "in a file" [ Open_wronly; Open_creat ] 0o600 "a/b";
  let oc = open_out "a" in output_string oc "contents"; close_out oc;
  attempt "append" [ Open_append ] 0o600 "a";
  attempt "no truncation" [ Open_wronly; Open_binary ] 0o600 "a";
  attempt "truncation" [ Open_wronly; Open_trunc; Open_nonblock ] 0o600 "a";
  (try ignore (open_in "none") with Sys_error s -> print_endline s);
  (try ignore (open_in_gen [ Open_rdonly; Open_creat ] 0o600 "made");
      print_endline "made" with Sys_error s -> print_endline s);
  (try ignore (open_in (String.make 5000 'n')) with Sys_error s -> print_endline (String.sub s
      4999 22));
  (try ignore (open_in "a\000b") with Sys_error s -> print_endline (String.escaped s));
  let ic = open_in "." in
  (try ignore (input_char ic) with Sys_error s -> print_endline s)
