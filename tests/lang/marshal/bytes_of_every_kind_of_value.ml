type t = A | B of int | C of { x : int; y : t } | D of float | E of t * t

let dump name ?(flags = []) v =
  let s = Marshal.to_string v flags in
  Printf.printf "%s %d:" name (String.length s);
  String.iter (fun c -> Printf.printf "%02x" (Char.code c)) s;
  print_newline ()

let () =
  List.iter (dump "int") [ 0; 1; 63; 64; -1; 127; 128; -128; -129; 32767; 32768; -32769; 0x3FFFFFFF;
                           0x40000000; -0x40000000; -0x40000001; 0x7FFFFFFF; 0x80000000; max_int;
                               min_int ];
  List.iter (dump "string") [ ""; "a"; "nul\000"; String.make 31 'x'; String.make 32 'y';
                              String.make 255 'z' ];
  let big = Marshal.to_string (String.make 300 'q') [] in
  Printf.printf "%S\n" (String.sub big 0 30);
  List.iter (dump "float") [ 0.0; -0.0; 1.5; infinity; 5e-324 ];
  dump "variant" [ A; B 1; C { x = 2; y = A }; D 2.5; E (A, B 3) ];
  dump "tuple" (1, "two", 3.0, [ 4 ]);
  dump "list" [ 1; 2; 3 ];
  dump "farray" [| 1.0; 2.0 |];
  dump "array" [| 1; 2 |];
  dump "empty" [||];
  dump "frecord" { Complex.re = 1.0; im = 2.0 };
  dump "int32" [ 1l; -1l ]; dump "int64" [ 1L; Int64.min_int ];
  dump "nativeint" [ 1n; 0x100000000n; -5n ];
  dump "bytes" (Bytes.of_string "b"); dump "poly" [ `A; `Bcd ]; dump "polyarg" (`X 1);
  dump "none" None; dump "unit" (); dump "char" 'c'; dump "ref" (ref (ref 1));
  dump "wide" (Array.init 40 (fun i -> i)); dump "lazy value" (Lazy.from_val 3);
  let l = lazy (String.length "abc") in
  ignore (Lazy.force l);
  dump "forced" l;
  dump "option" (Some (Some None))
