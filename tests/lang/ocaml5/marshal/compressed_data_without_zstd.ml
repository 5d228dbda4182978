(* Before zstd is switched on a compressed value is refused. *)
external start : unit -> bool = "caml_zstd_initialize"
let data = "\x84\x95\xa6\xbd\x0a\x0d\x04\x02\x05\x05\x28\xb5\x2f\xfd"
let attempt name f = match f () with (_ : int) -> Printf.printf "%s: read\n" name | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)
let () =
  let name = Filename.temp_file "z" "" in
  let oc = open_out_bin name in output_string oc (data ^ String.make 20 '\000'); close_out oc;
  let from_channel () = let ic = open_in_bin name in Fun.protect ~finally:(fun () -> close_in ic) (fun () -> Marshal.from_channel ic) in
  attempt "channel" from_channel;
  attempt "string" (fun () -> Marshal.from_string (data ^ String.make 20 '\000') 0);
  Printf.printf "%d\n" (Marshal.total_size (Bytes.of_string (data ^ String.make 20 '\000')) 0)
