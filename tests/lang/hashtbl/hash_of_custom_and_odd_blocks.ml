let h x = Printf.printf "%d " (Hashtbl.hash x)

let () =
  let open Bigarray in
  h (Array1.of_array int c_layout [| 1; 2; 3 |]);
  h (Array1.of_array float64 c_layout [| 1.0; 2.0; 3.0 |]);
  h (Array1.of_array float32 c_layout [| 1.5; 2.5 |]);
  h (Array1.of_array char c_layout [| 'a'; 'b'; 'c'; 'd'; 'e' |]);
  h (Array1.of_array int32 fortran_layout [| 1l; 2l |]);
  h (Array1.of_array int64 c_layout [| 1L; 2L |]);
  h (Array1.of_array int16_signed c_layout [| 1; -2; 3 |]);
  h (Array1.of_array nativeint c_layout [| 9n |]);
  h (Array1.of_array complex64 c_layout [| Complex.one; Complex.i |]);
  h (Array1.init int8_unsigned c_layout 200 (fun i -> i));
  h (Array2.init int c_layout 3 4 (fun i j -> i * j));
  print_newline ();
  h (object method m = 1 end);
  print_newline ();
  let rec cyclic = 1 :: 2 :: cyclic in
  h cyclic;
  let rec deep n = if n = 0 then [] else [ Obj.repr (deep (n - 1)) ] in
  h (deep 50);
  h [ Lazy.from_val 3 ];
  print_newline ()
