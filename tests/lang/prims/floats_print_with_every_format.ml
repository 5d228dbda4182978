external format_float : string -> float -> string = "caml_format_float"
external hexstring : float -> int -> char -> string = "caml_hexstring_of_float"

let values =
  [ 0.; -0.; 1.; -1.5; 0.1; 2.5; 3.5; 1e21; 1e-7; 123456789.; 1.7976931348623157e308; 5e-324;
    2.2250738585072014e-308; 1e100; infinity; neg_infinity; nan; -1e-310; 0.5; 9.995; 1. /. 3. ]

let flags =
  let all = [ "-"; "+"; " "; "0"; "#" ] in
  List.fold_left (fun sets f -> sets @ List.map (fun s -> s ^ f) sets) [ "" ] all

let tables () =
  List.iter (fun conversion ->
      List.iter (fun width ->
          List.iter (fun f ->
              let fmt = "%" ^ f ^ width ^ conversion in
              print_string fmt;
              List.iter (fun x -> Printf.printf " [%s]" (format_float fmt x)) values;
              print_newline ())
            flags)
        [ ""; "20"; ".0"; "12.3"; ".20" ])
    [ "e"; "E"; "f"; "F"; "g"; "G"; "a"; "A" ]

let hex () =
  List.iter (fun x ->
      for precision = -1 to 16 do
        List.iter (fun style -> Printf.printf " %s" (hexstring x precision style)) [ '-'; '+'; ' ' ]
      done;
      print_newline ())
    (values @ [ 0x1.8p0; 0x1.7fffffffffffep3; 0x1.fffffffffffffp-3; 0x1.08p1; 0x1.18p1; 0x0.8p-1022;
        0x0.fffffffffffffp-1022 ])

let printf () =
  List.iter (fun x ->
      Printf.printf "%f %e %g %F %h %H %.3F %10.2f %-12g| %+.1e %#F %.15g %.17g %.0f %s %s\n" x x x x x x x x x
        x x x x x (string_of_float x) (Float.to_string x))
    values

let () =
  tables ();
  hex ();
  printf ();
  print_endline (format_float "text %.2f more %% text" 3.14159);
  print_endline (format_float "%200.100f" 0.1);
  print_endline (format_float "%.400f" 1e300);
  print_endline (string_of_int (String.length (format_float "%100000f" 1.)));
  print_endline (string_of_int (String.length (hexstring 1.5 100000 '+')));
  print_endline (format_float "%lf" 2.5)
