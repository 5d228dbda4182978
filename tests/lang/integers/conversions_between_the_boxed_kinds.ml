let pr = Printf.printf

let () =
  List.iter (fun x ->
      pr "%ld %nd %d | %ld\n" (Int64.to_int32 x) (Int64.to_nativeint x) (Int64.to_int x)
        (Nativeint.to_int32 (Int64.to_nativeint x)))
    [ 0L; -1L; 0x80000000L; 0x1FFFFFFFFL; Int64.min_int; Int64.max_int; 0x4000000000000000L ];
  List.iter (fun x -> pr "%Ld %nd\n" (Int64.of_int32 x) (Nativeint.of_int32 x))
    [ 0l; -1l; Int32.max_int; Int32.min_int ];
  List.iter (fun x -> pr "%Ld\n" (Int64.of_nativeint x)) [ 0n; -1n; Nativeint.min_int ];
  List.iter (fun x -> pr "%ld %Ld %nd\n" (Int32.of_int x) (Int64.of_int x) (Nativeint.of_int x))
    [ 0; -1; max_int; min_int; 0x80000000 ];
  List.iter (fun f ->
      pr "%ld %Ld %nd %d\n" (Int32.of_float f) (Int64.of_float f) (Nativeint.of_float f)
        (int_of_float f))
    [ 0.0; 1.9; -1.9; 123456.789; -2147483648.0; 2147483647.0 ];
  pr "%Lx %h\n" (Int64.bits_of_float (-1.5)) (Int64.float_of_bits 0x4009_21FB_5444_2D18L);
  pr "%lx %h\n" (Int32.bits_of_float 0.1) (Int32.float_of_bits 0x40490FDBl)
