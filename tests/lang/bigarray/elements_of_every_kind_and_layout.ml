(* Reading, writing, filling, comparing, hashing and marshalling bigarrays of all kinds and layouts. *)
open Bigarray
let hex s = let b = Buffer.create 100 in String.iter (fun c -> Buffer.add_string b (Printf.sprintf "%02x" (Char.code c))) s; Buffer.contents b
let attempt name f = match f () with () -> () | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let one name (kind : ('a, 'b) kind) (show : 'a -> string) (values : 'a list) =
  Printf.printf "== %s size %d\n" name (kind_size_in_bytes kind);
  let test : type c. string -> c layout -> int -> unit = fun lname layout base ->
    let n = List.length values in
    let a = Array1.create kind layout n in
    List.iteri (fun i v -> a.{i + base} <- v) values;
    for i = base to n - 1 + base do Printf.printf "%s " (show a.{i}) done;
    Printf.printf "| dim %d size %d hash %d %d\n" (Array1.dim a) (Array1.size_in_bytes a) (Hashtbl.hash a) (Hashtbl.hash (a, 1));
    List.iter (fun i -> attempt (Printf.sprintf "get %d" i) (fun () -> ignore a.{i})) [ -1; base - 1; n + base; max_int; min_int ];
    attempt "set" (fun () -> a.{n + base} <- List.hd values);
    let s = Marshal.to_string a [] in
    Printf.printf "%s %s\n" lname (hex s);
    let b : ('a, 'b, c) Array1.t = Marshal.from_string s 0 in
    Printf.printf "back %b %d %b\n" (a = b) (compare a b) (Marshal.to_string b [] = s);
    Array1.fill b (List.hd values);
    Printf.printf "filled %s %d %d %b %b\n" (show b.{n - 1 + base}) (compare a b) (compare b a) (a < b) (a = b);
    Array1.blit a b;
    Printf.printf "blit %s %b\n" (show b.{n - 1 + base}) (a = b);
    let g = Genarray.create kind layout [| 2; 3; 2 |] in
    Genarray.fill g (List.hd values);
    List.iteri (fun i v -> if i < 12 then Genarray.set g [| i mod 2 + base; i / 2 mod 3 + base; i / 6 + base |] v) values;
    let flat = reshape_1 g 12 in
    for i = base to 11 + base do Printf.printf "%s " (show flat.{i}) done;
    print_newline ();
    Printf.printf "%s\n" (hex (Marshal.to_string g []));
    let three = array3_of_genarray g in
    Printf.printf "%s %s %s\n" (show three.{1 + base, 2 + base, 0 + base}) (show (Genarray.get g [| base; base; base |]))
      (show three.{base, 1 + base, 1 + base})
  in
  test "c" c_layout 0;
  test "fortran" fortran_layout 1

let ints = [ 0; 1; -1; 127; 128; 255; 256; -128; -129; 32767; 32768; 65535; 65536; -32768; max_int; min_int; 0x3FFFFFFF; -0x40000000 ]
let small = List.filter (fun n -> abs n < 1 lsl 29) ints
let floats = [ 0.; -0.; 1.; -2.5; 0.1; infinity; neg_infinity; 1e300; 1e-40; nan; 3.4e38 ]

let () =
  one "float32" float32 (Printf.sprintf "%h") floats;
  one "float64" float64 (Printf.sprintf "%h") floats;
  one "int8_signed" int8_signed string_of_int ints;
  one "int8_unsigned" int8_unsigned string_of_int ints;
  one "int16_signed" int16_signed string_of_int ints;
  one "int16_unsigned" int16_unsigned string_of_int ints;
  one "int" int string_of_int ints;
  one "small int" int string_of_int small;
  one "int32" int32 Int32.to_string [ 0l; 1l; -1l; Int32.max_int; Int32.min_int; 0x12345678l ];
  one "int64" int64 Int64.to_string [ 0L; 1L; -1L; Int64.max_int; Int64.min_int; 0x123456789ABCDEFL ];
  one "nativeint" nativeint Nativeint.to_string [ 0n; 1n; -1n; Nativeint.max_int; Nativeint.min_int; 0x123456789ABCDEFn ];
  one "small nativeint" nativeint Nativeint.to_string [ 0n; 1n; -1n; 0x7FFFFFFFn; -0x80000000n ];
  let c re im = { Complex.re; im } in
  let show (z : Complex.t) = Printf.sprintf "%h+%hi" z.re z.im in
  let z = [ c 0. 1.; c 1.5 (-2.); c nan 0.; c 0.1 infinity; c (-0.) 1e300 ] in
  one "complex32" complex32 show z;
  one "complex64" complex64 show z;
  one "char" char (Printf.sprintf "%C") [ 'a'; '\000'; '\255'; '0'; '\n' ]

(* nan and order *)
let () =
  let v l = Array1.of_array float64 c_layout (Array.of_list l) in
  let pairs = [ [ 1. ], [ nan ]; [ nan ], [ 1. ]; [ nan ], [ nan ]; [ nan; 1. ], [ nan; 2. ]; [ nan; 1. ], [ nan; 1. ]; [ 1.; 2. ], [ 1.; 3. ]; [], [ 1. ]; [ 1.; 2. ], [ 3. ] ] in
  List.iter (fun (a, b) ->
      let a = v a and b = v b in
      Printf.printf "%d %b %b %b %b %b %b\n" (compare a b) (a = b) (a <> b) (a < b) (a <= b) (a > b) (a >= b)) pairs;
  let g = Genarray.create int c_layout in
  Printf.printf "%d %d %d\n" (compare (g [| 2; 3 |]) (g [| 3; 2 |])) (compare (g [| 2 |]) (g [| 2; 3 |])) (compare (g [| 0; 3 |]) (g [| 0; 3 |]));
  Printf.printf "%d %d\n"
    (compare (Obj.repr (Array1.create int c_layout 1)) (Obj.repr (Array1.create int fortran_layout 1)))
    (compare (Obj.repr (Array1.create int c_layout 1)) (Obj.repr (Array1.create char c_layout 1)));
  Printf.printf "%b\n" (compare (Obj.repr (Array1.create int c_layout 1)) (Obj.repr 5L) <> 0);
  List.iter (fun n -> let a = Array1.init int8_unsigned c_layout n (fun i -> i * 5) in
              let b = Array1.init int16_unsigned c_layout n (fun i -> i * 77) in
              let c = Array1.init float32 c_layout n float_of_int in
              let d = Array1.init int64 c_layout n Int64.of_int in
              Printf.printf "hash %d: %d %d %d %d\n" n (Hashtbl.hash a) (Hashtbl.hash b) (Hashtbl.hash c) (Hashtbl.hash d))
    [ 0; 1; 2; 3; 4; 5; 31; 32; 33; 63; 64; 65; 127; 128; 129; 255; 256; 257; 1000 ];
  let a = Array1.init int c_layout 70000 (fun i -> i) in
  let s = Marshal.to_string a [] in
  Printf.printf "%d %s %b\n" (String.length s) (Digest.to_hex (Digest.string s)) (Marshal.from_string s 0 = a)
