(* env: OCAMLRUNPARAM=W *)
(* stress: no: channels die earlier *)
(* Open output channels are listed newest first; each block of a channel that dies open warns. *)
external all : unit -> out_channel list = "caml_ml_out_channels_list"
external descriptor : out_channel -> int = "caml_channel_descriptor"
let show () = print_endline (String.concat " " (List.map (fun oc -> string_of_int (descriptor oc)) (all ())))
let lose () = output_string (open_out_bin "lost") "kept in the buffer" [@@inline never]
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
let () =
  let a = open_out "a" in
  let b = open_out "b" in
  show ();
  close_out a;
  show ();
  let c = open_out "c" in
  show ();
  close_out b; close_out c;
  show ();
  lose ();
  for _ = 1 to 3 do
    ignore (deep 100);
    Gc.full_major ();
    Printf.printf "%d\n%!" (List.length (all ()))
  done;
  flush_all ();
  ignore (deep 100);
  Gc.full_major ()
