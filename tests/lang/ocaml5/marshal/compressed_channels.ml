(* ocaml: 5.3 *)
(* Compression needs zstd to be switched on first; small values stay as they are. *)
external start : unit -> bool = "caml_zstd_initialize"
external flags_of : int -> Marshal.extern_flags = "%identity"
let compression = flags_of 3
let say fmt = Printf.printf (fmt ^^ "\n")
let file v flags = let name = Filename.temp_file "z" "" in let oc = open_out_bin name in Marshal.to_channel oc v flags; close_out oc; name
let read name = let ic = open_in_bin name in let v = Marshal.from_channel ic in close_in ic; v
let length name = let ic = open_in_bin name in let n = in_channel_length ic in close_in ic; n
let magic name = let ic = open_in_bin name in let s = really_input_string ic 4 in close_in ic; String.escaped s
let show what v =
  let plain = file v [] and packed = file v [compression] and unshared = file v [compression; Marshal.No_sharing] in
  say "%s: %d, smaller %b, %s %s, back %b %b" what (length plain) (length packed < length plain) (magic plain) (magic packed) (read packed = v) (read unshared = v);
  List.iter Sys.remove [plain; packed; unshared]
let () =
  say "%b" (start ());
  show "an int" 3; show "a list" (List.init 3000 (fun i -> i mod 10));
  show "strings" (Array.init 2000 (fun i -> "string " ^ string_of_int (i mod 50)));
  show "floats" (Array.init 1000 (fun i -> float (i mod 3)));
  let s = String.make 1000 'q' in show "shared" (Array.make 500 s);
  show "tables" (List.init 200 (fun i -> (Int64.of_int i, [| i; i * i |], Some (string_of_int i))));
  let name = file (Array.make 5000 "abcdef") [compression] in
  let ic = open_in_bin name in let all = In_channel.input_all ic in close_in ic;
  let cut = String.sub all 0 (String.length all - 5) in
  let oc = open_out_bin name in output_string oc cut; close_out oc;
  (match (read name : string array) with _ -> say "?" | exception e -> say "cut: %s" (Printexc.to_string e));
  let broken = Bytes.of_string all in
  Bytes.fill broken (String.length all / 2) 4 '\255';
  say "a string is not compressed: %b" (Marshal.to_string [1; 2] [compression] = Marshal.to_string [1; 2] []);
  let twice = file (Array.make 100 1) [compression] in
  let oc = open_out_gen [Open_append; Open_binary] 0 twice in Marshal.to_channel oc "second" [compression]; Marshal.to_channel oc [3; 4] []; close_out oc;
  let ic = open_in_bin twice in
  let a : int array = Marshal.from_channel ic in let b : string = Marshal.from_channel ic in let c : int list = Marshal.from_channel ic in
  say "%d %s %d" (Array.length a) b (List.length c)
