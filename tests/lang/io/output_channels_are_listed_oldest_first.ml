external all : unit -> out_channel list = "caml_ml_out_channels_list"
external descriptor : out_channel -> int = "caml_channel_descriptor"
external set_name : out_channel -> string -> unit = "caml_ml_set_channel_name"

let show () = List.iter (fun oc -> Printf.printf "%d/%d " (descriptor oc) (pos_out oc)) (List.tl (List.tl (all ()))); print_newline ()

let () =
  List.iter (fun oc -> Printf.printf "%d " (descriptor oc)) (all ());
  print_newline ();
  let a = open_out "a" in
  let b = open_out "b" in
  let c = open_out "c" in
  output_string a "1";
  output_string b "22";
  output_string c "333";
  show ();
  close_out b;
  show ();
  let d = open_out "d" in
  output_string d "4444";
  show ();
  set_name d "";
  set_name d "another";
  flush_all ();
  show ();
  (try ignore (descriptor b) with e -> print_endline (Printexc.to_string e));
  Printf.printf "%b %b %b\n" (a = a) (a = c) (compare a a = 0);
  Printf.printf "%b\n" (List.mem a (all ()));
  (try ignore (Marshal.to_string a []) with e -> print_endline (Printexc.to_string e));
  close_out a; close_out c; close_out d;
  Printf.printf "%d\n" (List.length (all ()))
