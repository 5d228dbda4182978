let pr name f xs =
  print_string name;
  List.iter (fun x -> Printf.printf " %.15g" (f x)) xs;
  print_newline ()

let xs = [ 0.0; 0.5; 1.0; -0.75; 2.0; 10.0; -3.25; 100.0 ]

let () =
  pr "sqrt" sqrt xs; pr "exp" exp xs; pr "log" log xs; pr "log10" log10 xs; pr "log1p" log1p xs;
  pr "expm1" expm1 xs; pr "cos" cos xs; pr "sin" sin xs; pr "tan" tan xs; pr "acos" acos xs;
  pr "asin" asin xs; pr "atan" atan xs; pr "cosh" cosh xs; pr "sinh" sinh xs; pr "tanh" tanh xs;
  pr "acosh" Float.acosh xs; pr "asinh" Float.asinh xs; pr "atanh" Float.atanh xs;
  pr "cbrt" Float.cbrt xs; pr "exp2" Float.exp2 xs; pr "log2" Float.log2 xs; pr "erf" Float.erf xs;
  pr "erfc" Float.erfc xs; pr "ceil" ceil xs; pr "floor" floor xs; pr "trunc" Float.trunc xs;
  pr "round" Float.round xs; pr "abs" abs_float xs;
  List.iter (fun x ->
      List.iter (fun y ->
          Printf.printf "%.15g %.15g %.15g %.15g\n" (x ** y) (atan2 x y) (hypot x y)
            (Float.fma x y 1.5))
        xs)
    xs
