(* env: OCAMLRUNPARAM=W *)
(* IO3 *)
external all : unit -> out_channel list = "caml_ml_out_channels_list"

let show () =
  List.iter (fun oc -> Printf.printf "%d " (pos_out oc)) (List.filter (fun oc -> oc != stdout && oc != stderr && oc <> stdout) (all ()));
  print_newline ()

let lose n =
  for i = 1 to n do
    let oc = open_out_bin ("out" ^ string_of_int i) in
    output_string oc (String.make (10 * i) 'x')
  done
[@@inline never]

let lose_flushed () =
  let oc = open_out_bin "flushed" in
  output_string oc "x";
  flush oc
[@@inline never]

let lose_closed () =
  let oc = open_out_bin "closed" in
  output_string oc "x";
  close_out oc
[@@inline never]

let lose_input () =
  let ic = open_in_bin "closed" in
  ignore (input_char ic)
[@@inline never]

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let () =
  Printf.printf "%b\n" (Sys.runtime_warnings_enabled ());
  lose 1;
  ignore (deep 100);
  Gc.full_major ();
  Gc.full_major ();
  show ();
  flush_all ();
  show ();
  ignore (deep 100);
  Gc.full_major ();
  Gc.full_major ();
  show ();
  lose_flushed ();
  lose_closed ();
  ignore (deep 100);
  Gc.full_major ();
  Gc.full_major ();
  show ();
  lose_input ();
  ignore (deep 100);
  Gc.full_major ();
  Gc.full_major ();
  Sys.enable_runtime_warnings false;
  lose_input ();
  Gc.full_major ();
  let ic = open_in_bin "out1" in
  Printf.printf "%s\n" (input_line ic)
