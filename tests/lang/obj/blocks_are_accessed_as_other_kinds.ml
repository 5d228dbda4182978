(* A program may access a block as what it is not: a string as an array, a float as a string. *)
type floats = { mutable u : float; mutable v : float }
type pair = { mutable a : Obj.t; mutable b : Obj.t }

let as_array v : Obj.t array = Obj.magic v
let as_string v : string = Obj.magic v
let as_bytes v : Bytes.t = Obj.magic v
let word v = if Obj.is_int v then string_of_int (Obj.obj v) else "an even word"
let show name text = Printf.printf "%s: %s\n" name text
let new_float x = float_of_string (Printf.sprintf "%h" x)
let bits x = Printf.sprintf "%Lx" (Int64.bits_of_float x)
let try_int64 s i =
  try Printf.sprintf "%Lx" (String.get_int64_ne s i) with Invalid_argument m -> m

(* Words of strings, floats and integers, by array accesses, Obj.field and patterns. *)
let () =
  let s = Sys.opaque_identity "abcdefghijklmnopqrst" in
  for i = 0 to Obj.size (Obj.repr s) - 1 do
    show "unsafe_get of a string" (word (Array.unsafe_get (as_array s) i));
    show "get of a string" (word (as_array s).(i));
    show "field of a string" (word (Obj.field (Obj.repr s) i))
  done;
  (try ignore (as_array s).(3) with Invalid_argument m -> show "get beyond a string" m);
  show "length of a string's block" (string_of_int (Array.length (as_array s)));
  let remote = Bytes.create 8 in
  List.iter (fun n ->
      Bytes.set_int64_le remote 0 n;
      show "an address in a string"
        (string_of_bool (Obj.is_block (Array.unsafe_get (as_array remote) 0))))
    [ 0x7f0012345678L; 0x7f0012345679L; 1L; 0L; -2L; -1L ];
  let odd = new_float (Int64.float_of_bits 0x3ff0000000000001L) in
  show "field of a float" (word (Obj.field (Obj.repr odd) 0));
  show "field of an even float" (word (Obj.field (Obj.repr (new_float 1.)) 0));
  show "unsafe_get of a float" (word (Array.unsafe_get (as_array odd) 0));
  show "data of an int64" (word (Obj.field (Obj.repr (Int64.of_string "77")) 1));
  show "data of a nativeint" (word (Obj.field (Obj.repr (Nativeint.of_string "78")) 1));
  let { a; b } : pair = Obj.magic (Array.map new_float [| 1.5; Float.succ 2.5 |]) in
  show "a pattern on floats" (word a ^ ", " ^ word b);
  let first, second = (Obj.magic { u = Float.succ 0.5; v = 0.25 } : Obj.t * Obj.t) in
  show "a pattern on a record of floats" (word first ^ ", " ^ word second);
  (match (Obj.magic s : Obj.t * Obj.t * Obj.t) with x, y, z ->
    show "a pattern on a string" (word x ^ ", " ^ word y ^ ", " ^ word z));
  show "contents of a string" (word !(Obj.magic s : Obj.t ref))

(* Bytes of a block, and of the padding after a string. *)
let () =
  for n = 0 to 17 do
    let s = String.make n 'x' in
    let size = 8 * Obj.size (Obj.repr s) in
    let padding = List.init (size - n) (fun i -> Char.code (String.unsafe_get s (n + i))) in
    show "padding" (String.concat " " (List.map string_of_int padding))
  done;
  let pi = new_float 3.141592653589793 in
  show "first byte of a float" (string_of_int (Char.code (String.unsafe_get (as_string pi) 0)));
  show "a byte of a float" (string_of_int (Char.code (as_string pi).[3]));
  show "int64 of a float" (try_int64 (as_string pi) 0);
  show "int64 of a float of zeros" (try_int64 (as_string (new_float 0.)) 0);
  show "int16 of it" (string_of_int (String.get_uint16_le (as_string (new_float 0.)) 5));
  show "int32 of a float" (Int32.to_string (String.get_int32_le (as_string pi) 4));
  show "int64 before a float" (try_int64 (as_string pi) (-1));
  show "int64 of an array" (try_int64 (as_string (Array.make 3 21)) 8);
  show "a byte of a tuple" (string_of_int (Char.code (as_string (Sys.opaque_identity (20, 30))).[8]));
  show "a byte of an int64" (string_of_int (Char.code (as_string (Int64.of_string "513")).[9]));
  let name = as_string (new_float 0.) in
  show "length of a float of zeros" (string_of_int (String.length name));
  show "identity" (string_of_bool (Bytes.unsafe_to_string (as_bytes pi) == as_string pi))

(* Stores of words, doubles and bytes. *)
let () =
  let x = new_float 1. in
  String.unsafe_blit (as_string (new_float 2.5)) 0 (as_bytes x) 0 8;
  show "blit of a float into a float" (string_of_float x);
  String.unsafe_blit "\000\000\000\000\000\000\016\064" 0 (as_bytes x) 0 8;
  show "blit of a string into a float" (string_of_float x);
  let b = Bytes.make 8 '-' in
  Bytes.unsafe_blit (as_bytes x) 4 b 1 4;
  show "blit of a float into bytes" (String.escaped (Bytes.to_string b));
  Bytes.unsafe_set (as_bytes x) 7 '\192';
  show "a byte into a float" (string_of_float x);
  Bytes.unsafe_fill (as_bytes x) 6 1 '\x20';
  show "filling in a float" (string_of_float x);
  Obj.set_field (Obj.repr x) 0 (Obj.repr 5);
  show "set_field of a float" (bits x);
  (Obj.magic x : int ref) := -7;
  show "contents of a float" (bits x);
  incr (Obj.magic x : int ref);
  show "incr of a float" (bits x);
  let y = new_float 1. in
  incr (Obj.magic y : int ref);
  show "incr of an even float" (bits y);
  Array.unsafe_set (Obj.magic y : int array) 0 max_int;
  show "unsafe_set of a float" (bits y);
  let floats = Array.map new_float [| 1.; 2. |] in
  (Obj.magic floats : pair).b <- Obj.repr 9;
  show "a field of floats" (bits floats.(1));
  let pair = Bytes.make 15 'a' in
  (Obj.magic pair : int array).(0) <- 33;
  (Obj.magic pair : pair).b <- Obj.repr 300;
  show "fields of bytes" (String.escaped (Bytes.to_string pair));
  (Obj.magic pair : floats).u <- new_float 0.1;
  show "a float in bytes" (bits (Obj.magic pair : floats).u);
  show "a double in bytes" (bits (Obj.double_field (Obj.repr pair) 0));
  Obj.set_double_field (Obj.repr y) 0 0.75;
  show "set_double_field of a float" (string_of_float y);
  Bytes.unsafe_set pair 15 '\003';
  show "a shorter string" (string_of_int (Bytes.length pair));
  show "a float of integers" (bits (Obj.magic (Array.make 2 13) : floats).v)

(* A copy by words is an equal value. *)
let () =
  let copy v =
    let v = Obj.repr v in
    let n = Obj.new_block (Obj.tag v) (Obj.size v) in
    for i = 0 to Obj.size v - 1 do Obj.set_field n i (Obj.field v i) done;
    Obj.obj n in
  List.iter (fun s -> show "copy of a string" (copy s)) [ ""; "a"; "0123456"; "01234567"; "a longer text" ];
  List.iter (fun x -> show "copy of a float" (string_of_float (copy x))) [ 0.; 1.5; -2.5; Float.succ 1. ];
  show "copy of floats" (String.concat " " (Array.to_list (Array.map string_of_float (copy [| 1.5; 2.5 |]))));
  Gc.full_major ()

(* Primitives read floats, boxed integers and strings where these would be. *)
let () =
  let text = Sys.opaque_identity "hello, world" and floats = Sys.opaque_identity [| 0.25; 2.5 |]
  and long = Sys.opaque_identity 77L and tuple = Sys.opaque_identity (1, 2, 3) in
  let show_float what x = show what (string_of_float x) in
  show_float "a string as a float" (Obj.magic text +. 1.);
  show_float "the first of floats" (sqrt (Obj.magic floats));
  show_float "an int64 as a float" (-.(Obj.magic tuple : float) *. 1e300);
  show "comparison of floats" (string_of_bool ((Obj.magic floats : float) < 1.));
  show "the second of floats" (Int64.to_string (Int64.add (Obj.magic floats) 1L));
  show "a part of an int64" (Int32.to_string (Int32.succ (Obj.magic long)));
  show "an int64 as a nativeint" (Nativeint.to_string (Nativeint.add (Obj.magic long) 1n));
  show "the second of a tuple" (Printf.sprintf "%Lx" (Obj.magic tuple : int64));
  show "a tuple as a string" (string_of_bool (String.equal (Obj.magic tuple) "abc"));
  show "comparison of a tuple" (string_of_int (compare (Obj.magic tuple : string) (Obj.magic tuple)));
  print_string (String.escaped (String.sub (Obj.magic tuple) 0 9));
  output_string stdout (Obj.magic (Sys.opaque_identity (0, 0x21)));
  print_newline ();
  show "digest of a tuple" (Digest.to_hex (Digest.string (Obj.magic tuple)));
  let try_int what s =
    show what (try string_of_int (int_of_string s) with Failure m -> "Failure " ^ m) in
  List.iter (fun bits ->
      let s = as_string (new_float (Int64.float_of_bits bits)) in
      show "the length of a float" (string_of_int (String.length s));
      print_endline s;
      try_int "a float as an integer's text" s)
    [ 0x0041424344454647L; 0x0034333231303938L; 0x0300000035343332L; 0x400921fb54442d18L;
      0x3ff0000000000000L ]

(* Array functions on blocks without values. *)
let () =
  let show_bytes what b = show what (String.escaped (Bytes.to_string b)) in
  let array b = (Obj.magic (b : bytes) : int array) in
  let b = Bytes.make 20 'a' in
  Array.fill (array b) 0 2 5;
  show_bytes "fill of bytes" b;
  Array.blit [| 1; 2; 3 |] 1 (array b) 0 2;
  show_bytes "blit of integers into bytes" b;
  Array.blit (array b) 0 (array b) 1 1;
  show_bytes "blit within bytes" b;
  let back = Array.make 3 0 in
  Array.blit (array b) 0 back 1 2;
  show "blit of bytes into integers" (String.concat " " (Array.to_list (Array.map string_of_int back)));
  show "sub of bytes" (String.concat " " (Array.to_list (Array.map string_of_int (Array.sub (array b) 0 2))));
  let floats = Array.map new_float [| 1.; 2. |] in
  Array.blit [| 1; 2 |] 0 (Obj.magic floats) 0 1;
  show "blit of an integer into floats" (bits floats.(0));
  Array.blit (Obj.magic floats : int array) 0 back 0 1;
  show "blit of a float into integers" (string_of_int back.(0));
  (* The address of a block, which is not shown. *)
  Obj.set_field (Obj.repr b) 0 (Obj.repr floats);
  (Obj.magic b : pair).b <- Obj.repr "text";
  Array.fill (Obj.magic b : string array) 0 1 "text";
  show "the rest" (Bytes.sub_string b 16 4);
  Gc.full_major ()
