(* Digest.BLAKE128/256/512, and the primitives with every length, key and partition into pieces. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
type state
external create : int -> string -> state = "caml_blake2_create"
external update : state -> bytes -> int -> int -> unit = "caml_blake2_update"
external final : state -> int -> string = "caml_blake2_final"
external string : int -> string -> string -> int -> int -> string = "caml_blake2_string"
external bytes : int -> string -> bytes -> int -> int -> string = "caml_blake2_bytes"
external md5 : string -> int -> int -> string = "caml_md5_string"
external md5_bytes : bytes -> int -> int -> string = "caml_md5_bytes"
let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
let data n = String.init n (fun i -> Char.chr ((i * 7 + i / 256) land 255))
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)

let () =
  p "%s" Digest.BLAKE128.(to_hex (string ""));
  p "%s" Digest.BLAKE256.(to_hex (string "abc"));
  p "%s" Digest.BLAKE512.(to_hex (string "abc"));
  p "%s" Digest.BLAKE512.(to_hex (bytes (Bytes.of_string (data 1000))));
  p "%s" Digest.BLAKE256.(to_hex (substring (data 1000) 100 300));
  p "%s %s" (Digest.MD5.to_hex (Digest.MD5.string "abc")) (hex (md5_bytes (Bytes.of_string "xabcx") 1 3));
  List.iter (fun n -> p "%d %s" n (hex (string n "" "message" 0 7))) [ 1; 2; 16; 20; 31; 32; 33; 63; 64 ];
  List.iter (fun k -> p "key %d %s" k (hex (string 32 (data k) "message" 0 7))) [ 1; 16; 63; 64 ];
  List.iter (fun n -> p "length %d %s %s" n (hex (string 32 "" (data n) 0 n)) (hex (bytes 48 "key" (Bytes.of_string (data n)) 0 n)))
    [ 0; 1; 63; 64; 127; 128; 129; 255; 256; 257; 384; 1000; 5000 ]

let () =
  let n = 700 in
  let all = Bytes.of_string (data n) in
  List.iter (fun step ->
      let s = create 40 "a key" in
      let rec go at = if at < n then (let k = min step (n - at) in update s all at k; go (at + k)) in
      go 0;
      update s all 5 0;
      let result = final s 40 in
      p "steps of %d: %s %b" step (hex result) (result = bytes 40 "a key" all 0 n))
    [ 1; 3; 64; 127; 128; 129; 256; 300; 700 ];
  let s = create 64 "" in
  update s all 0 100;
  Gc.full_major ();
  update s all 100 600;
  p "across a collection %b" (final s 64 = string 64 "" (data n) 0 n);
  p "after final: shorter %d" (String.length (final (create 64 "") 16));
  let many = List.init 1000 (fun i -> let s = create 32 "" in update s all 0 (i mod 700); s) in
  Gc.full_major ();
  p "%s" (hex (List.fold_left (fun acc s -> string 16 "" (acc ^ final s 32) 0 (String.length acc + 32)) "" many))

let () =
  attempt "compare" (fun () -> string_of_int (compare (create 32 "") (create 32 "")));
  attempt "hash" (fun () -> string_of_int (Hashtbl.hash (create 32 "")));
  attempt "marshal" (fun () -> Marshal.to_string (create 32 "") []);
  attempt "tag" (fun () -> string_of_int (Obj.tag (Obj.repr (create 32 ""))));
  let f = Filename.temp_file "blake" "data" in
  Out_channel.with_open_bin f (fun oc -> output_string oc (data 10000));
  attempt "file" (fun () -> Digest.BLAKE256.(to_hex (file f)));
  attempt "channel" (fun () -> In_channel.with_open_bin f (fun ic -> seek_in ic 5; Digest.BLAKE128.(to_hex (channel ic 300))));
  attempt "channel to the end" (fun () -> In_channel.with_open_bin f (fun ic -> seek_in ic 5; Digest.BLAKE128.(to_hex (channel ic (-1)))));
  attempt "channel too short" (fun () -> In_channel.with_open_bin f (fun ic -> Digest.BLAKE128.(to_hex (channel ic 20000))));
  attempt "of_hex" (fun () -> Digest.BLAKE128.(to_hex (of_hex "00112233445566778899AABBCCDDEEFF")));
  attempt "bad range" (fun () -> Digest.BLAKE128.(to_hex (substring "abc" 2 2)));
  attempt "equal" (fun () -> string_of_bool Digest.BLAKE128.(equal (string "a") (string "a")));
  Sys.remove f
