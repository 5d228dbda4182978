(* OCaml looks such numbers up beyond the end of a table, or before its start. 32 - n would be flag n
   of a shift by too many bits. *)
external to_buffer : bytes -> int -> int -> 'a -> int list -> int = "caml_output_value_to_buffer"
external to_string : 'a -> int list -> string = "caml_output_value_to_string"
external to_channel : out_channel -> 'a -> int list -> unit = "caml_output_value"

let wrong = List.concat_map (fun n -> [ n; n + 1; n + 2 ]) [ -64; -32; -3; 32; 64; 1 lsl 32; min_int ]
let wrong = wrong @ [ 3; 4; 245; 246; max_int ]

let shared =
  let text = String.make 10 'a' in
  (text, text, Array.make 200 text)

let into_buffer flags =
  let buffer = Bytes.create 2000 in
  Bytes.sub_string buffer 0 (to_buffer buffer 0 2000 shared flags)

let into_file flags =
  let name = "value" in
  let out = open_out_bin name in
  to_channel out shared flags;
  close_out out;
  let file = open_in_bin name in
  let text = really_input_string file (in_channel_length file) in
  close_in file;
  Sys.remove name;
  text

let () =
  let right = to_string shared [] in
  let ways = [ ("string", to_string shared); ("buffer", into_buffer); ("channel", into_file) ] in
  let check flags =
    let same (name, write) = if write flags <> right then print_endline (name ^ ": differs") in
    List.iter same ways;
    match to_string (fun x -> x + List.length flags) flags with
    | _ -> print_endline "wrote a function"
    | exception Invalid_argument _ -> ()
  in
  List.iter (fun flag -> check [ flag ]) wrong;
  check wrong;
  print_endline (if to_string shared [ 0; -1 ] = to_string shared [ 0 ] then "done" else "flag 0 is lost")
