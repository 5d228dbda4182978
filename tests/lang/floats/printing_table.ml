let values =
  [ 0.0; -0.0; 1.0; -1.0; 0.1; 0.5; 1.5; 2.5; 3.5; 1e10; 1e15; 1e16; 1e17; 1e21; 1e22; 1e23; 1e100;
    1e-5; 1e-4; 1e-10; 123456789.123456789; 0.30000000000000004; 1.0 /. 3.0; 4.9e-324;
    2.2250738585072014e-308; 1.7976931348623157e308; infinity; neg_infinity; nan; 99999.5; 999999.5;
    epsilon_float; 9007199254740993.0; 5e-7; 1234567.0; 100.0 ]

let () =
  List.iter (fun f ->
      Printf.printf "%s|%f|%e|%g|%F|%h|%H\n" (string_of_float f) f f f f f f;
      Printf.printf "%E|%G|%.0f|%.1f|%.3e|%.10g|%.17g|%.0e|%#g|%#F\n" f f f f f f f f f f;
      Printf.printf "[%12.4f|%-12.4f|%012.4f|%+.2f|% .2f|%12g|%-12e|%+g]\n" f f f f f f f f;
      Printf.printf "%.3h|%+h|%20h|%.0h|%.20F|%5F\n" f f f f f f)
    values
