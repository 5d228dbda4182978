let () =
  let oc = open_out_bin "m" in
  Marshal.to_channel oc [ 1; 2; 3 ] [];
  output_value oc ("pair", 2.5);
  Marshal.to_channel oc (fun x -> x * 3) [ Marshal.Closures ];
  Marshal.to_channel oc (Array.init 20_000 string_of_int) [];
  Printf.printf "%d\n" (pos_out oc);
  close_out oc;
  let ic = open_in_bin "m" in
  let l : int list = Marshal.from_channel ic in
  let (s, f) : string * float = input_value ic in
  let g : int -> int = Marshal.from_channel ic in
  let a : string array = Marshal.from_channel ic in
  Printf.printf "%d %s %g %d %s\n" (List.length l) s f (g 14) a.(19_999);
  (try ignore (Marshal.from_channel ic) with End_of_file -> print_endline "End_of_file");
  let n = in_channel_length ic in
  close_in ic;
  let ic = open_in_bin "m" in
  let whole = really_input_string ic n in
  close_in ic;
  let oc = open_out_bin "cut" in
  output_string oc (String.sub whole 0 25);
  close_out oc;
  let ic = open_in_bin "cut" in
  (try ignore (Marshal.from_channel ic : int list); print_endline "read" with
   | Failure m -> print_endline m | End_of_file -> print_endline "End_of_file");
  (try ignore (Marshal.from_channel ic) with
   | Failure m -> print_endline m | End_of_file -> print_endline "End_of_file")
