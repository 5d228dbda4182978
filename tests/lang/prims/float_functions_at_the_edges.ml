(* Each function of one, two and three floats on every combination of edge values, to the bit. *)
let values =
  [ 0.; -0.; 1.; -1.; 0.5; -0.5; 1.5; -2.5; 2.; 3.; 10.; -10.; 0.1; 1e-10; 710.; -745.2; 1e10; 1e22; 4503599627370497.5;
    9007199254740993.; 0.49999999999999994; 4.9e-324; -2.2250738585072009e-308; 1.7976931348623157e308;
    -1.7976931348623157e308; infinity; neg_infinity; nan; 3.141592653589793; 1.5707963267948966 ]

(* The sign of a nan that an operation made is the processor's affair. *)
let bits x = if x <> x then "nan" else Printf.sprintf "%Lx" (Int64.bits_of_float x)

let unary =
  [ "neg", (fun x -> -.x); "abs", abs_float; "sqrt", sqrt; "cbrt", Float.cbrt; "exp", exp; "exp2", Float.exp2;
    "expm1", expm1; "log", log; "log10", log10; "log1p", log1p; "log2", Float.log2; "sin", sin; "cos", cos;
    "tan", tan; "asin", asin; "acos", acos; "atan", atan; "sinh", sinh; "cosh", cosh; "tanh", tanh;
    "asinh", Float.asinh; "acosh", Float.acosh; "atanh", Float.atanh; "erf", Float.erf; "erfc", Float.erfc;
    "ceil", ceil; "floor", floor; "trunc", Float.trunc; "round", Float.round; "succ", Float.succ; "pred", Float.pred ]

let binary =
  [ "add", ( +. ); "sub", ( -. ); "mul", ( *. ); "div", ( /. ); "mod", mod_float; "atan2", atan2; "hypot", hypot;
    "pow", ( ** ); "copysign", copysign; "nextafter", Float.next_after; "min", Float.min; "max", Float.max;
    "min_num", Float.min_num; "max_num", Float.max_num; "rem", Float.rem ]

let comparisons (x : float) y =
  Printf.sprintf "%b %b %b %b %b %b %d" (x = y) (x <> y) (x < y) (x <= y) (x > y) (x >= y) (compare x y)

let class_name x =
  match classify_float x with
  | FP_normal -> "normal" | FP_subnormal -> "subnormal" | FP_zero -> "zero" | FP_infinite -> "infinite"
  | FP_nan -> "nan"

let parts x =
  let m, e = frexp x and f, w = modf x in
  Printf.printf "%h: %s %b frexp %s %d modf %s %s int %d %ld %Ld %nd of_bits %lx %h\n" x (class_name x)
    (Float.sign_bit x && x = x) (bits m) e (bits f) (bits w) (int_of_float x) (Int32.of_float x) (Int64.of_float x)
    (Nativeint.of_float x)
    (if x = x then Int32.bits_of_float x else 0l) (Int32.float_of_bits (Int32.bits_of_float x))

let () =
  List.iter (fun (name, f) ->
      print_string name;
      List.iter (fun x -> print_string (" " ^ bits (f x))) values;
      print_newline ())
    unary;
  List.iter (fun (name, f) ->
      List.iter (fun x ->
          Printf.printf "%s %h" name x;
          List.iter (fun y -> print_string (" " ^ bits (f x y))) values;
          print_newline ())
        values)
    binary;
  List.iter (fun x -> List.iter (fun y -> print_endline (comparisons x y)) values) values;
  List.iter parts
    (values @ [ 2147483647.; 2147483647.5; 2147483648.; -2147483648.; -2147483648.9; -2147483649.; 4294967295.;
        4294967296.; 4611686018427387903.; 4611686018427387904.; -4611686018427387904.; -4611686018427388928.;
        9.3e18; -9.3e18; 9223372036854775808.; -9223372036854775808.; 9223372036854774784.; 3.4028235677973366e38; 1e-45; 7e-46 ])

let () =
  List.iter (fun x ->
      List.iter (fun n -> print_string (" " ^ bits (ldexp x n)))
        [ 0; 1; -1; 52; 1023; 1024; -1022; -1074; -1075; -1076; 2100; -2200; 1 lsl 31; 1 lsl 32; (1 lsl 32) + 3;
          max_int; min_int ];
      print_newline ())
    values;
  List.iter (fun (x, y, z) -> print_endline (bits (Float.fma x y z)))
    [ 1., 1., 1.; 0x1.0000000000001p0, 0x1.0000000000001p0, -1.; 1e308, 10., -1e309; 0., infinity, 1.; nan, 1., 1.;
      0x1p-1074, 0.5, 0x1p-1074; 1e16, 1.0000000000000002, -1e16; infinity, 1., neg_infinity; -0., 0., -0. ];
  List.iter (fun n -> print_endline (bits (float_of_int n)))
    [ 0; 1; -1; max_int; min_int; 1 lsl 53; (1 lsl 53) + 1; (1 lsl 60) + 63; (1 lsl 61) + 257 ];
  List.iter (fun b -> print_endline (bits (Int64.float_of_bits b)))
    [ 0L; 1L; -1L; Int64.max_int; Int64.min_int; 0x7ff0000000000000L; 0x3ff0000000000000L ];
  let signalling = Int64.float_of_bits 0x7ff0000000000001L in
  Printf.printf "%Lx\n" (Int64.bits_of_float signalling)
