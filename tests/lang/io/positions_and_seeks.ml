let read name =
  let ic = open_in_bin name in
  let s = really_input_string ic (in_channel_length ic) in
  close_in ic;
  s

let () =
  let oc = open_out_bin "x" in
  for i = 0 to 99999 do output_char oc (Char.chr (32 + i mod 90)) done;
  Printf.printf "%d %d\n" (pos_out oc) (out_channel_length oc);
  seek_out oc 10;
  output_string oc "<ten>";
  Printf.printf "%d %d\n" (pos_out oc) (out_channel_length oc);
  seek_out oc 99998;
  output_string oc "<beyond>";
  flush oc;
  Printf.printf "%d %d\n" (pos_out oc) (out_channel_length oc);
  seek_out oc 100100;
  output_char oc '!';
  close_out oc;
  let s = read "x" in
  Printf.printf "%d %s %S\n" (String.length s) (Digest.to_hex (Digest.string s))
    (String.sub s 99990 20)

let () =
  let ic = open_in_bin "x" in
  let at p =
    seek_in ic p;
    Printf.printf "%d:%C -> %d\n" p (input_char ic) (pos_in ic)
  in
  List.iter at [ 0; 10; 5; 65535; 65536; 65535; 99999; 1; 30000; 99000; 65534; 100100 ];
  seek_in ic 1000000;
  Printf.printf "%d\n" (pos_in ic);
  (try ignore (input_char ic) with End_of_file -> print_endline "end");
  Printf.printf "%d\n" (pos_in ic);
  (try seek_in ic (-5); Printf.printf "no error %d\n" (pos_in ic) with e -> print_endline (Printexc.to_string e));
  (try seek_in ic max_int; Printf.printf "no error %d\n" (pos_in ic) with e -> print_endline (Printexc.to_string e));
  (try seek_in ic min_int; Printf.printf "no error %d\n" (pos_in ic) with e -> print_endline (Printexc.to_string e));
  close_in ic

let () =
  let open LargeFile in
  let oc = open_out_bin "big" in
  seek_out oc 5_000_000_000L;
  output_string oc "far";
  Printf.printf "%Ld %Ld\n" (pos_out oc) (out_channel_length oc);
  close_out oc;
  let ic = open_in_bin "big" in
  Printf.printf "%Ld\n" (in_channel_length ic);
  seek_in ic 5_000_000_001L;
  Printf.printf "%c %Ld %d\n" (input_char ic) (pos_in ic) (Stdlib.pos_in ic);
  close_in ic;
  Sys.remove "big"

let () =
  let try_ f = try f () with e -> print_endline (Printexc.to_string e) in
  try_ (fun () -> Printf.printf "%d\n" (pos_in stdin));
  try_ (fun () -> seek_in stdin 3; print_endline "sought");
  try_ (fun () -> seek_out stdout 0; print_endline "sought");
  try_ (fun () -> Printf.printf "%d\n" (in_channel_length stdin));
  try_ (fun () -> Printf.printf "%d\n" (out_channel_length stderr))

(* open for appending, for reading and writing *)
let () =
  let oc = open_out_gen [ Open_append; Open_wronly ] 0 "x" in
  Printf.printf "%d\n" (pos_out oc);
  output_string oc "appended";
  Printf.printf "%d %d\n" (pos_out oc) (out_channel_length oc);
  close_out oc;
  Printf.printf "%d\n" (String.length (read "x"));
  let oc = open_out_gen [ Open_wronly; Open_binary ] 0 "x" in
  output_string oc "start";
  close_out oc;
  Printf.printf "%S\n" (String.sub (read "x") 0 10);
  let oc = open_out_gen [ Open_wronly; Open_trunc; Open_text ] 0 "x" in
  close_out oc;
  Printf.printf "%d\n" (String.length (read "x"))
