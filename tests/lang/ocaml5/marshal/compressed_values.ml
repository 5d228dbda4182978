(* ocaml: 5.3 *)
type flag = No_sharing | Closures | Compat_32 | Compression
external initialize : unit -> bool = "caml_zstd_initialize"
external to_bytes : 'a -> flag list -> bytes = "caml_output_value_to_bytes"
external output : out_channel -> 'a -> flag list -> unit = "caml_output_value"
external to_buffer : bytes -> int -> int -> 'a -> flag list -> int = "caml_output_value_to_buffer"
external data_size : bytes -> int -> int = "caml_marshal_data_size"
external input_outside : in_channel -> 'a = "caml_input_value_to_outside_heap"
let show_exn f = try f () with e -> Printf.printf "  %s\n" (Printexc.to_string e)
let hex b = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (Bytes.to_seq b)))
let vlq b at =
  let rec go n at = let c = Char.code (Bytes.get b at) in
    let n = n lsl 7 lor (c land 127) in if c >= 128 then go n (at + 1) else n, at + 1 in go 0 at
let describe name b =
  let magic = String.sub (hex b) 0 8 in
  Printf.printf "%s: %s " name magic;
  if magic = "8495a6bd" then begin
    let stored, at = vlq b 5 in
    let unpacked, at = vlq b at in
    let objects, at = vlq b at in
    let w32, at = vlq b at in
    let w64, at = vlq b at in
    Printf.printf "header %d=%d rest %b unpacked %d objects %d words %d %d size %b\n" (Char.code (Bytes.get b 4)) at
      (stored + at = Bytes.length b) unpacked objects w32 w64 (data_size b 0 + 16 = Bytes.length b)
  end else Printf.printf "%d bytes\n" (Bytes.length b)
let () =
  Printf.printf "initialize %b\n" (initialize ());
  let round name v flags =
    let b = to_bytes v flags in
    describe name b;
    Printf.printf "  same %b\n" (compare v (Marshal.from_bytes b 0) = 0) in
  round "pair" (1, "a") [Compression];
  print_endline (hex (to_bytes (1, "a") [Compression]));
  round "pair plain" (1, "a") [];
  round "int" 5 [Compression];
  round "list" (List.init 100000 (fun i -> i * 7 mod 1000)) [Compression];
  round "strings" (List.init 20000 string_of_int) [Compression];
  round "no sharing" (List.init 2000 string_of_int) [Compression; No_sharing];
  let s = String.make 10 'x' in
  let b = to_bytes [s; s; s; s] [Compression] in
  describe "shared" b;
  (match Marshal.from_bytes b 0 with [p; q; r; t] -> Printf.printf "%b %b %b %s\n" (p == q) (q == r) (r == t) p | _ -> assert false);
  round "float arrays" (Array.init 3000 float_of_int) [Compression];
  round "big string" (String.init 1000000 (fun i -> Char.chr (i * i land 255))) [Compression];
  round "zeros" (Bytes.make 3000000 '\000') [Compression];
  round "8094" (Bytes.make 8094 'y') [Compression];
  round "8095" (Bytes.make 8095 'y') [Compression];
  round "8096" (Bytes.make 8096 'y') [Compression];
  let long = List.init 40000 (fun i -> ref i) in
  let twice = (long, List.rev long) in
  round "far references" twice [Compression];
  let f = (let k = 3 in fun x -> x + k + String.length Sys.argv.(0) * 0) in
  let g : int -> int = Marshal.from_bytes (to_bytes f [Closures; Compression]) 0 in
  Printf.printf "closure %d\n" (g 4);
  show_exn (fun () -> ignore (to_bytes f [Compression]));
  let rec cyclic = 1 :: 2 :: cyclic in
  let c : int list = Marshal.from_bytes (to_bytes cyclic [Compression]) 0 in
  Printf.printf "cyclic %b\n" (List.tl (List.tl c) == c);
  let buf = Bytes.make 100 '.' in
  let n = to_buffer buf 0 100 (1, "a") [Compression] in
  Printf.printf "to_buffer %d %s\n" n (hex (Bytes.sub buf 0 4));
  let file = "values" in
  let oc = open_out_bin file in
  for i = 1 to 50 do output oc (List.init (i * 20) (fun j -> j * i)) [Compression] done;
  output oc "plain" [];
  output oc "last" [Compression];
  close_out oc;
  let ic = open_in_bin file in
  let total = ref 0 in
  for _ = 1 to 50 do total := !total + List.fold_left (+) 0 (input_value ic : int list) done;
  Printf.printf "%d %s " !total (input_value ic);
  Printf.printf "%s\n" (input_outside ic);
  show_exn (fun () -> ignore (input_value ic : int));
  close_in ic; Sys.remove file;
  (* damage *)
  let whole = to_bytes (List.init 300 string_of_int) [Compression] in
  let try_bytes name b = Printf.printf "%s:" name; (try ignore (Marshal.from_bytes b 0 : Obj.t); print_endline " ok" with e -> Printf.printf " %s\n" (Printexc.to_string e)) in
  let change i c = let b = Bytes.copy whole in Bytes.set b i c; b in
  try_bytes "frame magic" (change 15 '\000');
  try_bytes "whole" whole;
  try_bytes "cut" (Bytes.sub whole 0 (Bytes.length whole - 1));
  try_bytes "too short" (Bytes.sub whole 0 14);
  try_bytes "large number" (Bytes.cat (Bytes.of_string "\x84\x95\xa6\xbd\x14\x83\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00") whole);
  let through_file name b =
    let oc = open_out_bin file in output_bytes oc b; close_out oc;
    let ic = open_in_bin file in
    Printf.printf "%s:" name;
    (try ignore (input_value ic : Obj.t); print_endline " ok" with e -> Printf.printf " %s\n" (Printexc.to_string e));
    Printf.printf "  at %d of %d\n" (pos_in ic) (in_channel_length ic);
    close_in ic; Sys.remove file in
  through_file "frame magic" (change 15 '\000');
  through_file "whole" whole;
  through_file "cut" (Bytes.sub whole 0 (Bytes.length whole - 1));
  for n = 0 to 21 do through_file (string_of_int n) (Bytes.sub whole 0 n) done;
  through_file "other" (Bytes.make 30 'a')
