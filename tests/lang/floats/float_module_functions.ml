let () =
  let open Float in
  Printf.printf "%h %h %h %h %h %h\n" zero one minus_one infinity neg_infinity pi;
  Printf.printf "%h %h %h %b\n" max_float min_float epsilon (is_nan nan);
  List.iter (fun x ->
      Printf.printf "%b %b %b %b\n" (is_finite x) (is_infinite x) (is_integer x) (sign_bit x))
    [ 0.0; -0.0; 1.5; -3.0; infinity; nan; 1e300 ];
  Printf.printf "%h %h %h\n" (succ 1.0) (pred 1.0) (next_after 0.0 (-1.0));
  Printf.printf "%h %h\n" (succ max_float) (pred infinity);
  List.iter (fun x ->
      let m, e = frexp x in
      let f, i = modf x in
      Printf.printf "%h %d %h %h %h %h %h\n" m e f i (ldexp x 3) (ldexp x (-1080)) (rem x 0.3))
    [ 0.0; 1.0; -2.75; 1e300; 5e-324; infinity ];
  List.iter (fun x ->
      print_string (match classify_float x with
          | FP_normal -> "normal " | FP_subnormal -> "subnormal " | FP_zero -> "zero "
          | FP_infinite -> "infinite " | FP_nan -> "nan "))
    [ 1.0; 5e-324; -0.0; neg_infinity; nan ];
  print_newline ();
  Printf.printf "%d %d %h %s %b\n" (to_int 3.99) (to_int (-3.99)) (of_int 7) (to_string 2.5)
    (of_string_opt "x" = None);
  Printf.printf "%h %h %h %h\n" (min 1.0 2.0) (max nan 1.0) (min_num nan 1.0) (max_num 1.0 nan);
  let a, b = min_max 3.0 1.0 and c, d = min_max_num nan 2.0 in
  Printf.printf "%h %h %h %h\n" a b c d;
  Printf.printf "%b %d %d %d\n" (equal nan nan) (compare nan 1.0) (compare 0.0 (-0.0)) (compare
      2. 1.);
  Printf.printf "%d %b\n" (hash 1.5) (hash 0.0 = hash (-0.0));
  Printf.printf "%h %h %h\n" (copy_sign 1.0 (-0.0)) (neg 1.0) (abs (-0.0));
  Printf.printf "%h %h\n" (add 1. 2. |> sub 5.) (mul 3. 4. |> div 6.)
