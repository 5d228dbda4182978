(* IO1: lines and reads around the size of the buffer *)
let write name s =
  let oc = open_out_bin name in
  output_string oc s;
  close_out oc

let lines name =
  let ic = open_in name in
  let rec go n acc =
    match input_line ic with
    | l -> go (n + 1) ((n, String.length l, Digest.to_hex (Digest.string l)) :: acc)
    | exception End_of_file -> close_in ic; List.rev acc
  in
  go 0 []

let show l = List.iter (fun (n, len, d) -> Printf.printf "%d: %d %s\n" n len d) l

let () =
  write "a" "one\ntwo\n\n\r\nlast";
  show (lines "a");
  write "b" "";
  show (lines "b");
  write "c" "\n";
  show (lines "c");
  write "d" (String.make 65535 'x' ^ "\n" ^ String.make 65536 'y' ^ "\n" ^ String.make 65537 'z');
  show (lines "d");
  write "e" (String.concat "\n" (List.init 3000 (fun i -> String.make (i * 7 mod 501) 'q')));
  Printf.printf "%d\n" (List.length (lines "e"));
  write "f" (String.make 400000 'k' ^ "\000\n\000" ^ String.make 100 '\n');
  Printf.printf "%d\n" (List.length (lines "f"));
  show (List.filteri (fun i _ -> i < 3) (lines "f"))

let () =
  let data = String.init 200000 (fun i -> Char.chr (i * i / 7 land 255)) in
  write "g" data;
  let ic = open_in_bin "g" in
  let b = Bytes.create 200000 in
  let sizes = ref [] in
  let rec fill at =
    let n = input ic b at (min 50000 (200000 - at)) in
    if n > 0 then (sizes := n :: !sizes; fill (at + n))
  in
  fill 0;
  List.iter (Printf.printf "%d ") (List.rev !sizes);
  Printf.printf "%b at end %d\n" (Bytes.to_string b = data) (input ic b 0 10);
  seek_in ic 65530;
  Printf.printf "%S\n" (really_input_string ic 20);
  Printf.printf "%d\n" (pos_in ic);
  (try really_input ic b 0 200000 with End_of_file -> print_endline "too short");
  Printf.printf "%d\n" (pos_in ic);
  (try ignore (input_char ic) with End_of_file -> print_endline "end");
  (try ignore (input_byte ic) with End_of_file -> print_endline "end");
  (try ignore (input_line ic) with End_of_file -> print_endline "end");
  (try ignore (input_binary_int ic) with End_of_file -> print_endline "end");
  (try ignore (input ic b 5 (-1)) with Invalid_argument s -> print_endline s);
  (try ignore (input ic b 199999 2) with Invalid_argument s -> print_endline s);
  (try really_input ic b (-1) 2 with Invalid_argument s -> print_endline s);
  close_in ic

let () =
  let ic = open_in_bin "g" in
  let sum = ref 0 in
  (try
     while true do
       sum := (!sum * 31 + Char.code (input_char ic)) land 0xffffff
     done
   with End_of_file -> ());
  Printf.printf "%d %d\n" !sum (in_channel_length ic);
  close_in ic
