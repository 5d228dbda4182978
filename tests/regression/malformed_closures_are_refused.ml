(* Marshalled functions with each byte changed, and cut at each byte: a closure that is read names
   code of the program that expects its environment, anything else is a Failure (#7765).
   ocamlrun 4.13.1 jumps to the address that the data gives. *)
let k = Random.int 1
let outcomes = Hashtbl.create 3
let sort name bytes =
  let outcome = match ignore (Sys.opaque_identity (Marshal.from_string bytes 0)) with
    | () -> "read"
    | exception (Failure _ | Invalid_argument _ | End_of_file) -> "refused" in
  Hashtbl.replace outcomes (name, outcome) ();
  outcome

let try_all name value =
  let bytes = Marshal.to_string value [ Marshal.Closures ] in
  Printf.printf "%s: %s\n" name (sort name bytes);
  let b = Bytes.of_string bytes in
  for i = 0 to Bytes.length b - 1 do
    let before = Bytes.get_uint8 b i in
    List.iter (fun change ->
        Bytes.set_uint8 b i (before lxor change);
        ignore (sort name (Bytes.to_string b)))
      [ 1; 2; 4; 0x10; 0x40; 0x80; 0xff ];
    Bytes.set_uint8 b i before
  done;
  let cut = ref 0 in
  for n = Marshal.header_size to String.length bytes - 1 do
    (* With a true header, but truncated data. *)
    let short = Bytes.of_string (String.sub bytes 0 n) in
    Bytes.set_int32_be short 4 (Int32.of_int (n - Marshal.header_size));
    if sort name (Bytes.to_string short) = "refused" then incr cut
  done;
  Printf.printf "  cut short: %s\n"
    (if !cut = String.length bytes - Marshal.header_size then "refused" else "read");
  Printf.printf "  changed: %s\n"
    (if Hashtbl.mem outcomes (name, "refused") then "some are refused" else "all are read");
  Gc.compact ()

let plain = fun x -> x + k
let two = let y = Random.int 1 and z = Random.int 2 in fun x -> x + y + z + k
let three a b c = a + b + c + k
let product a b c = a * b * c * k
let even_odd () =
  let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - k - 1) in
  (even, odd)

let () =
  try_all "a function" plain;
  try_all "a function with variables" two;
  try_all "a partial application" (three (Random.int 1));
  try_all "partial applications" (List.init 20 (fun i -> if i mod 2 = 0 then Obj.repr (three i) else Obj.repr (three i 1)));
  try_all "functions that know each other" (even_odd ());
  try_all "one of them" (snd (even_odd ()));
  try_all "functions among other data" (1, [| 1.5; 2.5 |], plain, "text", Some two, [ 1L; 2L ])

(* A marshalled value by hand: its data, with the size in words. *)
let marshalled words objects data =
  let b = Buffer.create 20 in
  List.iter (fun n -> Buffer.add_int32_be b (Int32.of_int n)) [ 0x8495A6BE; String.length data; objects; 0; words ];
  Buffer.contents b ^ data

let code_of f =
  (* The code pointer of a marshalled closure: after the block's header. *)
  let m = Marshal.to_string f [ Marshal.Closures ] in
  let at = String.index_from m Marshal.header_size '\x10' in
  String.sub m at 21

let () =
  let show name m = Printf.printf "%s: %s\n" name (sort name m) in
  let closure words fields = marshalled (words + 1) 1
      ("\x08\x00\x00" ^ String.make 1 (Char.chr (words lsl 2)) ^ "\xf7" ^ fields) in
  let closinfo start = "\x03\x00\x00\x00\x00\x00\x00\x00" ^ String.make 1 (Char.chr start) in
  let code = code_of (fun x -> x) in
  show "a closure by hand" (closure 2 (code ^ closinfo 2));
  show "an environment too large" (closure 3 (code ^ closinfo 2 ^ "\x41"));
  show "an environment that starts elsewhere" (closure 3 (code ^ closinfo 3 ^ "\x41"));
  show "a closinfo that is not an integer" (closure 2 (code ^ "\xa0\x41"));
  show "a code pointer alone" (marshalled 0 0 code);
  show "an offset that is not a function's" (closure 2 ("\x10\xff\xff\xff\xf0" ^ String.sub code 5 16 ^ closinfo 2));
  show "an offset within a word" (closure 2 ("\x10\x00\x00\x00\x01" ^ String.sub code 5 16 ^ closinfo 2));
  show "an infix pointer to a tuple" (marshalled 3 1 "\x11\x00\x00\x00\x18\xa0\x41");
  show "an infix pointer to an integer" (marshalled 0 0 "\x11\x00\x00\x00\x18\x41");
  show "an infix pointer and nothing" (marshalled 0 0 "\x11\x00\x00\x00\x18");
  show "an infix pointer into one function"
    (marshalled 3 1 ("\x11\x00\x00\x00\x18\x08\x00\x00\x08\xf7" ^ code ^ closinfo 2));
  List.iter (fun (offset, reference) ->
      show (Printf.sprintf "an infix pointer of %d" offset)
        (marshalled 6 2 ("\xa0\x08\x00\x00\x08\xf7" ^ code ^ closinfo 2 ^
                      Printf.sprintf "\x11\x00\x00\x00%c%s" (Char.chr offset) reference)))
    [ (8, "\x04\x01"); (24, "\x04\x01"); (24, "\x05\x00\x01"); (24, "\x06\x00\x00\x00\x01");
      (25, "\x14\x00\x00\x00\x00\x00\x00\x00\x01") ];
  let replace part other bytes =
    let n = String.length part in
    let rec find i = if String.sub bytes i n = part then i else find (i + 1) in
    let at = find Marshal.header_size in
    String.sub bytes 0 at ^ other ^ String.sub bytes (at + n) (String.length bytes - at - n) in
  let partial = Marshal.to_string (three (Random.int 1)) [ Marshal.Closures ] in
  show "a partial application of its function" (replace (code_of three) (code_of three) partial);
  show "a partial application of another function" (replace (code_of three) (code_of product) partial);
  let both = Marshal.to_string (fst (even_odd ())) [ Marshal.Closures ] in
  show "two functions" (replace "\x01\x06\x7c" "\x01\x06\x7c" both);
  show "two functions with another header between" (replace "\x01\x06\x7c" "\x01\x06\x7d" both);
  Gc.compact ()
