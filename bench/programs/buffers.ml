(* Large strings and Buffer: a text is compressed by back references, expanded, encoded in base 64
   and decoded, and broken into lines; each result is checked against the original. *)
let words = [| "camel"; "hump"; "desert"; "sand"; "caravan"; "oasis"; "the"; "a"; "crosses"; "and"; "of"; "slowly" |]

let text size =
  let b = Buffer.create 16 and state = ref 1 in
  while Buffer.length b < size do
    state := ((!state * 1103515245) + 12345) land 0x3fffffff;
    Buffer.add_string b words.(!state lsr 8 mod Array.length words);
    Buffer.add_char b (if !state lsr 20 land 15 = 0 then '.' else ' ')
  done;
  Buffer.sub b 0 size

let window = 4095
let longest = 18

(* A flag byte, then eight items: a byte, or two bytes with the distance and length of a copy. *)
let compress s =
  let n = String.length s and out = Buffer.create 1024 and items = Buffer.create 16 in
  let last = Array.make 65536 (-1) in
  let flags = ref 0 and count = ref 0 in
  let flush () =
    Buffer.add_uint8 out !flags;
    Buffer.add_buffer out items;
    Buffer.clear items;
    flags := 0;
    count := 0
  in
  let key at = ((Char.code s.[at] lsl 10) lxor (Char.code s.[at + 1] lsl 5) lxor Char.code s.[at + 2]) land 65535 in
  let rec common a b length =
    if length < longest && b + length < n && s.[a + length] = s.[b + length] then common a b (length + 1) else length
  in
  let rec go at =
    if at < n then begin
      let from = if at + 2 < n then last.(key at) else -1 in
      let length = if from >= 0 && at - from <= window then common from at 0 else 0 in
      let used =
        if length >= 3 then begin
          flags := !flags lor (1 lsl !count);
          Buffer.add_uint16_be items (((at - from) lsl 4) lor (length - 3));
          length
        end
        else begin
          Buffer.add_char items s.[at];
          1
        end
      in
      for i = at to min (at + used - 1) (n - 3) do
        last.(key i) <- i
      done;
      incr count;
      if !count = 8 then flush ();
      go (at + used)
    end
  in
  go 0;
  if !count > 0 then flush ();
  Buffer.contents out

let expand s size =
  let out = Bytes.create size in
  let rec items flags count at filled =
    if filled = size then ()
    else if count = 8 then items (String.get_uint8 s at) 0 (at + 1) filled
    else if flags land (1 lsl count) <> 0 then begin
      let item = String.get_uint16_be s at in
      let from = filled - (item lsr 4) and length = (item land 15) + 3 in
      for i = 0 to length - 1 do
        Bytes.set out (filled + i) (Bytes.get out (from + i))
      done;
      items flags (count + 1) (at + 2) (filled + length)
    end
    else begin
      Bytes.set out filled s.[at];
      items flags (count + 1) (at + 1) (filled + 1)
    end
  in
  items 0 8 0 0;
  Bytes.unsafe_to_string out

let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

let encode s =
  let b = Buffer.create (String.length s * 4 / 3) in
  let byte i = if i < String.length s then Char.code s.[i] else 0 in
  for group = 0 to ((String.length s + 2) / 3) - 1 do
    let i = 3 * group in
    let bits = (byte i lsl 16) lor (byte (i + 1) lsl 8) lor byte (i + 2) in
    for k = 3 downto 0 do
      Buffer.add_char b alphabet.[bits lsr (6 * k) land 63]
    done
  done;
  Buffer.contents b

let decode s size =
  let value = Array.make 256 0 in
  String.iteri (fun i c -> value.(Char.code c) <- i) alphabet;
  let b = Buffer.create size in
  let rec go at =
    if at < String.length s then begin
      let digit k = value.(Char.code s.[at + k]) in
      let bits = (digit 0 lsl 18) lor (digit 1 lsl 12) lor (digit 2 lsl 6) lor digit 3 in
      Buffer.add_char b (Char.unsafe_chr (bits lsr 16));
      Buffer.add_char b (Char.unsafe_chr (bits lsr 8 land 255));
      Buffer.add_char b (Char.unsafe_chr (bits land 255));
      go (at + 4)
    end
  in
  go 0;
  Buffer.sub b 0 size

let wrap width s =
  let b = Buffer.create (String.length s) in
  let column = ref 0 in
  List.iter
    (fun word ->
      let n = String.length word in
      if !column > 0 && !column + 1 + n > width then begin
        Buffer.add_char b '\n';
        column := 0
      end
      else if !column > 0 then begin
        Buffer.add_char b ' ';
        incr column
      end;
      Buffer.add_string b word;
      column := !column + n)
    (String.split_on_char ' ' s);
  Buffer.contents b

let check what a b = Printf.printf "%s %s\n" what (if String.equal a b then "ok" else "differs")

let () =
  let size = 1000 * int_of_string Sys.argv.(1) in
  let s = text size in
  let packed = compress s in
  check "compressed" s (expand packed size);
  let encoded = encode packed in
  check "encoded" packed (decode encoded (String.length packed));
  let wrapped = wrap 72 s in
  check "wrapped" s (String.map (fun c -> if c = '\n' then ' ' else c) wrapped);
  let lines = String.split_on_char '\n' wrapped in
  check "lines" wrapped (String.concat "\n" lines);
  let upper = String.concat "" (List.rev_map String.uppercase_ascii lines) in
  List.iter
    (fun t -> Printf.printf "%d %s\n" (String.length t) (Digest.to_hex (Digest.string t)))
    [ s; packed; encoded; wrapped; upper ]
