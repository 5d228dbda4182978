(* Puts values into zstd frames, for OCaml 5. Their references then count from the start. *)
external initialize : unit -> bool = "caml_zstd_initialize"
let () = assert (initialize ())

let vlq n =
  let rec more n last = if n = 0 then last else more (n lsr 7) (String.make 1 (Char.chr (128 lor (n land 127))) ^ last) in
  more (n lsr 7) (String.make 1 (Char.chr (n land 127)))

(* A frame of one block of these bytes; if they repeat at a distance of one, a shorter block says so. *)
let frame data =
  let n = String.length data in
  let repeats = n > 0 && String.equal data (String.make n data.[0]) in
  let size = n lsl 3 lor (if repeats then 2 else 0) lor 1 in
  "\x28\xb5\x2f\xfd\x00\x58" ^ String.init 3 (fun i -> Char.chr (size lsr (8 * i) land 255))
  ^ if repeats then String.make 1 data.[0] else data

(* Some values stay as they are. *)
let pack bytes =
  let word at = Int32.to_int (Bytes.get_int32_be bytes at) land 0xFFFFFFFF in
  if Random.int 8 = 0 || Bytes.length bytes < 20 then bytes
  else
    let data = Bytes.sub_string bytes 20 (Bytes.length bytes - 20) in
    let data = if Random.int 20 = 0 then String.make (Random.int 60000) '\x40' else data in
    let length = String.length data + if Random.int 20 = 0 then Random.int 1000 - 500 else 0 in
    let frame = frame data in
    let numbers = List.map vlq [ String.length frame; length; word 8; word 12; word 16 ] in
    let numbers = String.concat "" numbers in
    let start = "\x84\x95\xa6\xbd" ^ String.make 1 (Char.chr (5 + String.length numbers)) in
    Bytes.of_string (start ^ numbers ^ frame)
