(* Primitives of strings, numbers and hashing, a thousand calls at a time. *)
let n = 1000

let row name ?(times = 200) work =
  Rows.row name ~times ~units:n (fun () ->
      for i = 1 to n do
        ignore (Sys.opaque_identity (work i))
      done)

let long = String.init 100_000 (fun i -> Char.chr (32 + (i mod 90)))
let kilo = String.sub long 0 1000
let kilo' = String.sub long 0 1000 (* equal, elsewhere *)
let word = "a word of 20 letters"
let word' = String.concat "" [ "a word of 20"; " letters" ]
let bytes = Bytes.create 100_000

let () =
  row "nothing" (fun i -> i);
  row "String.equal, 20" (fun _ -> String.equal word word');
  row "String.equal, 1000" (fun _ -> String.equal kilo kilo');
  row "String.compare, 20" (fun _ -> String.compare word word');
  row "String.compare, 1000" (fun _ -> String.compare kilo kilo');
  row "compare of strings, 20" (fun _ -> compare word word');
  row "compare of ints" (fun i -> compare (Sys.opaque_identity i) 7);
  row "compare of floats" (fun i -> compare (Sys.opaque_identity 1.5) 2.5);
  row "compare of pairs" (fun i -> compare (i, 2) (i, 3));
  row "polymorphic =, lists of 10"
    (let a = List.init 10 Fun.id and b = List.init 10 Fun.id in
     fun _ -> a = b);
  row "polymorphic <, int64" (fun _ -> Sys.opaque_identity 5L < Sys.opaque_identity 6L);
  row "Bytes.create, 20" (fun _ -> Bytes.create 20);
  row "Bytes.create, 1000" (fun _ -> Bytes.create 1000);
  row "Bytes.blit, 20" (fun _ -> Bytes.blit_string word 0 bytes 0 20);
  row "Bytes.blit, 1000" (fun _ -> Bytes.blit_string kilo 0 bytes 0 1000);
  row "Bytes.fill, 1000" (fun _ -> Bytes.fill bytes 0 1000 'x');
  row "Bytes.fill, 100000" ~times:4 (fun _ -> Bytes.fill bytes 0 100_000 'x');
  row "String.sub, 10" (fun _ -> String.sub word 3 10);
  row "(^), 20 and 20" (fun _ -> word ^ word);
  row "String.concat, 5" (fun _ -> String.concat ", " [ word; word; word; word; word ]);
  row "String.index" (fun _ -> String.index word 's');
  row "Bytes.get_int32_le" (fun i -> Bytes.get_int32_le bytes i);
  row "Bytes.set_int64_be" (fun i -> Bytes.set_int64_be bytes i 5L);
  row "Bytes.get_uint16_be" (fun i -> Bytes.get_uint16_be bytes i)

let () =
  let table = Hashtbl.create 100 in
  for i = 1 to 1000 do
    Hashtbl.replace table (string_of_int i) i
  done;
  row "Hashtbl.hash, int" (fun i -> Hashtbl.hash i);
  row "Hashtbl.hash, string of 20" (fun _ -> Hashtbl.hash word);
  row "Hashtbl.hash, string of 1000" (fun _ -> Hashtbl.hash kilo);
  row "Hashtbl.hash, float" (fun _ -> Hashtbl.hash 1.5);
  row "Hashtbl.hash, list of 10"
    (let list = List.init 10 string_of_int in
     fun _ -> Hashtbl.hash list);
  row "Hashtbl.find, string" (fun _ -> Hashtbl.find table "500");
  row "Digest.string, 20" (fun _ -> Digest.string word);
  row "Digest.string, 1000" ~times:20 (fun _ -> Digest.string kilo);
  row "Digest.string, 100000" ~times:1 (fun i -> if i land 31 = 0 then Digest.string long else "");
  row "Digest.to_hex"
    (let digest = Digest.string word in
     fun _ -> Digest.to_hex digest)

let () =
  row "string_of_int" (fun i -> string_of_int (i * 7919));
  row "Printf.sprintf %d" (fun i -> Printf.sprintf "%d" i);
  row "Printf.sprintf %05d" (fun i -> Printf.sprintf "%05d" i);
  row "Printf.sprintf %x" (fun i -> Printf.sprintf "%x" i);
  row "Printf.sprintf %s" (fun _ -> Printf.sprintf "%s" word);
  row "int_of_string" (fun _ -> int_of_string "123456");
  row "int_of_string, hexadecimal" (fun _ -> int_of_string "0xdeadbeef");
  row "Int64.of_string" (fun _ -> Int64.of_string "123456789012");
  row "Int64.to_string" (fun i -> Int64.to_string (Int64.of_int i));
  row "Int32.to_string" (fun i -> Int32.to_string (Int32.of_int i));
  row "string_of_float" (fun i -> string_of_float (float i));
  row "string_of_float, 0.1" (fun _ -> string_of_float 0.1);
  row "Printf.sprintf %.3f" (fun i -> Printf.sprintf "%.3f" (float i));
  row "Printf.sprintf %g" (fun i -> Printf.sprintf "%g" (float i));
  row "Printf.sprintf %h" (fun i -> Printf.sprintf "%h" (float i));
  row "float_of_string" (fun _ -> float_of_string "3.14159");
  row "float_of_string, 17 digits" (fun _ -> float_of_string "0.12345678901234567");
  row "float_of_string, exponent" (fun _ -> float_of_string "1e10");
  row "float_of_string, hexadecimal" (fun _ -> float_of_string "0x1.8p3")

let () =
  let x = Sys.opaque_identity 1.5 in
  row "sqrt" (fun _ -> sqrt x);
  row "sin" (fun _ -> sin x);
  row "exp" (fun _ -> exp x);
  row "( ** )" (fun _ -> x ** 2.5);
  row "floor" (fun _ -> floor x);
  row "Float.round" (fun _ -> Float.round x);
  row "frexp" (fun _ -> frexp x);
  row "modf" (fun _ -> modf x);
  row "classify_float" (fun _ -> classify_float x);
  row "Int64.bits_of_float" (fun _ -> Int64.bits_of_float x);
  row "Float.rem" (fun _ -> Float.rem x 0.7);
  row "Int64.div" (fun i -> Int64.div 123456789L (Int64.of_int i));
  row "Int32.mul" (fun i -> Int32.mul 12345l (Int32.of_int i))

let () =
  let array = Array.init 1000 Fun.id and floats = Array.init 1000 float in
  row "Array.make, 10" (fun i -> Array.make 10 i);
  row "Array.make, 1000" ~times:20 (fun i -> Array.make 1000 i);
  row "Array.make of floats, 10" (fun _ -> Array.make 10 1.5);
  row "Array.sub, 10" (fun _ -> Array.sub array 5 10);
  row "Array.append, 10" (fun _ -> Array.append [| 1; 2; 3 |] [| 4; 5 |]);
  row "Array.blit, 1000" (fun _ -> Array.blit array 0 array 0 1000);
  row "Array.fill, 1000" (fun _ -> Array.fill array 0 1000 7);
  row "Array.copy of floats" ~times:20 (fun _ -> Array.copy floats);
  row "Array.concat" (fun _ -> Array.concat [ [| 1 |]; [| 2; 3 |]; [| 4 |] ]);
  row "Obj.dup" (fun _ -> Obj.dup (Obj.repr (1, 2)));
  row "Lazy.force" (fun _ -> Lazy.force (lazy (Sys.opaque_identity 1)));
  row "Weak.get"
    (let weak = Weak.create 10 in
     Weak.set weak 0 (Some word);
     fun _ -> Weak.get weak 0);
  row "Sys.time" ~times:20 (fun _ -> Sys.time ());
  row "Random.int" (fun _ -> Random.int 1000);
  row "Sys.getenv_opt" (fun _ -> Sys.getenv_opt "PATH");
  row "Buffer.add_char"
    (let buffer = Buffer.create 100 in
     fun i ->
       if i = 1 then Buffer.clear buffer;
       Buffer.add_char buffer 'x');
  row "Bigarray.get"
    (let b = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 1001 in
     fun i -> Bigarray.Array1.get b i);
  row "Bigarray.create" (fun _ -> Bigarray.Array1.create Bigarray.int Bigarray.c_layout 10);
  row "Bigarray.fill, 1000"
    (let b = Bigarray.Array1.create Bigarray.int Bigarray.c_layout 1000 in
     fun i -> Bigarray.Array1.fill b i)
