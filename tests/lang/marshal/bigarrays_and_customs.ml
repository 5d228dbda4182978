open Bigarray

let dump v =
  let s = Marshal.to_string v [] in
  String.iter (fun c -> Printf.printf "%02x" (Char.code c)) s;
  print_newline ();
  Marshal.from_string s 0

let () =
  let same name v = Printf.printf "%s %b\n" name (dump v = v) in
  same "int" (Array1.of_array int c_layout [| 1; -1; max_int |]);
  same "small int" (Array1.of_array int c_layout [| 1; -1; 7 |]);
  same "float64" (Array1.of_array float64 c_layout [| 1.5; -0.0 |]);
  same "float32" (Array1.of_array float32 fortran_layout [| 1.5; 2.5 |]);
  same "char" (Array1.of_array char c_layout [| 'a'; 'b'; 'c' |]);
  same "int8" (Array1.of_array int8_signed c_layout [| -1; 1 |]);
  same "int16" (Array1.of_array int16_unsigned c_layout [| 65535; 1 |]);
  same "int32" (Array1.of_array int32 c_layout [| 1l; Int32.min_int |]);
  same "int64" (Array1.of_array int64 c_layout [| 1L; Int64.min_int |]);
  same "native" (Array1.of_array nativeint c_layout [| 1n; -1n |]);
  same "wide native" (Array1.of_array nativeint c_layout [| Nativeint.max_int |]);
  same "complex" (Array1.of_array complex64 c_layout [| Complex.i |]);
  same "matrix" (Array2.of_array int c_layout [| [| 1; 2; 3 |]; [| 4; 5; 6 |] |]);
  same "genarray" (genarray_of_array1 (Array1.of_array int c_layout [| 9 |]));
  same "big dimension" (Array1.init int8_unsigned c_layout 70000 (fun i -> i land 255)
                        |> fun a -> Array1.sub a 0 3);
  (try ignore (Marshal.to_string stdout []) with Invalid_argument s -> print_endline s);
  (try ignore (Marshal.to_string (Weak.create 1) []) with Invalid_argument s -> print_endline s)
