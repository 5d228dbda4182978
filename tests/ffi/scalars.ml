(* Each scalar type there and back, at its limits; more arguments than registers; variadics. *)
open Ffi
open Check

let f name fn = foreign ~lib name fn

let each name typ values next =
  let c = f ("next_" ^ name) (typ @-> returning typ) in
  List.iteri (fun i v -> same (Printf.sprintf "%s %d" name i) (next v) (c v)) values

let out name typ values =
  let c = f ("next_" ^ name) (typ @-> returning typ) in
  List.iter (fun v -> refuses (Printf.sprintf "%s %d" name v) (fun () -> c v)) values

let () =
  each "int8" int8_t [-128; -2; -1; 0; 126] succ;
  each "uint8" uint8_t [0; 127; 254] succ;
  each "int16" int16_t [-32768; -1; 32766] succ;
  each "uint16" uint16_t [0; 65534] succ;
  each "int32" int [-0x8000_0000; -1; 0x7fff_fffe] succ;
  each "uint32" uint [0; 0xffff_fffe] succ;
  each "int64" long [min_int; -1; 5; max_int - 1] succ;
  each "uint64" ulong [0; max_int - 1] succ;
  each "uint64" size_t [41] succ;
  each "int32" int32_t [Int32.min_int; -1l; 41l] Int32.succ;
  each "int64" int64_t [Int64.min_int; -1L; Int64.pred Int64.max_int] Int64.succ;
  each "uint64" uint64_t [0L; Int64.max_int; -2L; -1L] Int64.succ;
  each "int64" intptr_t [Nativeint.min_int; -1n] Nativeint.succ;
  each "char" char ['a'; '\127'; '\254'] (fun c -> Char.chr ((Char.code c + 1) land 255));
  each "float" float [0.5; -1.; 1e10] (fun x -> Int32.float_of_bits (Int32.bits_of_float (x +. 1.)));
  each "double" double [0.1; -1e300; infinity] (fun x -> x +. 1.);
  each "long_double" long_double [0.1; -1e300] (fun x -> x +. 1.);
  out "int8" int8_t [128; -129];
  out "uint8" uint8_t [256; -1];
  out "int16" int16_t [32768];
  out "uint16" uint16_t [-1; 65536];
  out "int32" int [0x8000_0000];
  out "uint32" uint [-1; 0x1_0000_0000];
  out "uint64" ulong [-1];
  same "bool" [false; true] (List.map (f "negate" (bool @-> returning bool)) [true; false]);
  let z = { Complex.re = 1.5; im = -2. } in
  same "complex float" (Complex.mul z z)
    (f "square_cf" (complex_float @-> returning complex_float) z);
  same "complex double" (Complex.mul z z)
    (f "square_cd" (complex_double @-> returning complex_double) z);
  same "sign extension" (-3) (f "wide_of_int8" (int8_t @-> returning long) (-3));
  same "zero extension" 65535 (f "wide_of_uint16" (uint16_t @-> returning long) 65535);
  same "no argument" 42 (f "forty_two" (void @-> returning int) ());
  refuses "a number too large for int" (fun () -> f "largest" (void @-> returning ulong) ());
  refuses "a number too small for int" (fun () -> f "least" (void @-> returning long) ());
  same "the same as uint64_t" (-1L) (f "largest" (void @-> returning uint64_t) ())

let () =
  let ints =
    f "ten_ints"
      (int8_t @-> uint8_t @-> int16_t @-> uint16_t @-> int32_t @-> uint32_t @-> int64_t @-> uint64_t
       @-> int8_t @-> long @-> returning long) in
  same "ten integers" (-1 + 2 - 3 + 4 - 5 + 6 - 7 + 8 - 9 + 10)
    (ints (-1) 1 (-1) 1 (-1l) 1 (-1L) 1L (-1) 1);
  let doubles =
    f "ten_doubles"
      (double @-> float @-> double @-> float @-> double @-> float @-> double @-> float @-> double
       @-> float @-> returning double) in
  same "ten floating-point numbers" 385. (doubles 1. 2. 3. 4. 5. 6. 7. 8. 9. 10.);
  let mixed =
    f "mixed"
      (int @-> double @-> int64_t @-> float @-> uint8_t @-> double @-> int16_t @-> double @-> long
       @-> double @-> char @-> double @-> int @-> double @-> long_double @-> double @-> double
       @-> int @-> returning double) in
  let expected = List.fold_left (fun sum i -> sum + (i * i)) 0 (List.init 18 succ) in
  same "eighteen mixed arguments" (Float.of_int expected)
    (mixed 1 2. 3L 4. 5 6. 7 8. 9 10. '\011' 12. 13 14. 15. 16. 17. 18);
  let partial = mixed 1 2. 3L 4. 5 6. 7 8. 9 10. '\011' 12. in
  churn ();
  same "a partial application, twice"
    (Float.of_int expected, Float.of_int expected)
    (partial 13 14. 15. 16. 17. 18, partial 13 14. 15. 16. 17. 18)

let () =
  let sum kinds fn = foreign ~lib ~fixed:2 "variadic_sum" (int @-> string @-> fn) |> fun c -> c
    (String.length kinds) kinds in
  same "variadic: integers" 14. (sum "iii" (int @-> int @-> int @-> returning double) 1 2 3);
  same "variadic: mixed" (0.5 +. 4. +. 4.5 +. 20.)
    (sum "dlds" (double @-> long @-> double @-> string @-> returning double) 0.5 2 1.5 "12345");
  same "variadic: more than the registers hold" 385.
    (sum "dididididi"
       (double @-> int @-> double @-> int @-> double @-> int @-> double @-> int @-> double @-> int
        @-> returning double) 1. 2 3. 4 5. 6 7. 8 9. 10);
  refuses "variadic: float is promoted" (fun () ->
    foreign ~lib ~fixed:2 "variadic_sum" (int @-> string @-> float @-> returning double) 1 "d" 1.);
  refuses "variadic: no fixed argument" (fun () ->
    foreign ~lib ~fixed:0 "variadic_sum" (int @-> returning double) 1)
