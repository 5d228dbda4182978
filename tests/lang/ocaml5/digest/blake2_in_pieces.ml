(* The primitives: a key, pieces of any size, result lengths from 1 to 64. *)
type t
external create : int -> string -> t = "caml_blake2_create"
external update : t -> string -> int -> int -> unit = "caml_blake2_update"
external final : t -> int -> string = "caml_blake2_final"
external whole : int -> string -> string -> int -> int -> string = "caml_blake2_string"
external whole_bytes : int -> string -> bytes -> int -> int -> string = "caml_blake2_bytes"
external md5 : bytes -> int -> int -> string = "caml_md5_bytes"
let say fmt = Printf.printf (fmt ^^ "\n")
let text = String.init 1000 (fun i -> Char.chr (i * i land 255))
let pieces size key step = let c = create size key in
  let rec go i = if i < 1000 then begin update c text i (min step (1000 - i)); go (i + step) end in go 0; final c size
let () =
  List.iter (fun size -> say "%d %s" size (Digest.to_hex (Digest.string (whole size "" text 0 1000)));
    List.iter (fun step -> if pieces size "" step <> whole size "" text 0 1000 then say "differs: %d %d" size step) [1; 3; 64; 127; 128; 129; 500; 1000])
    [1; 2; 16; 20; 31; 32; 33; 48; 63; 64];
  List.iter (fun key -> say "%d %s %b" (String.length key) (Digest.to_hex (Digest.string (whole 32 key text 5 700))) (pieces 40 key 77 = whole 40 key text 0 1000)) ["k"; "secret"; String.make 63 'q'; String.make 64 'r'];
  say "%b" (whole 64 "k" text 3 900 = whole_bytes 64 "k" (Bytes.of_string text) 3 900);
  say "%s" (Digest.to_hex (md5 (Bytes.of_string text) 10 20)); say "%b" (md5 (Bytes.of_string text) 0 1000 = Digest.string text);
  let c = create 16 "" in say "%d %d" (Obj.tag (Obj.repr c)) (String.length (final c 16));
  say "%b" (String.length (whole 17 "" "" 0 0) = 17)
