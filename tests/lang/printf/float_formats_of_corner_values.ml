let () =
  List.iter (fun x ->
      List.iter (fun f -> Printf.printf "%s " (Printf.sprintf f x))
        [ "%.0f"; "%.1f"; "%.15f"; "%.20e"; "%.12g"; "%#g"; "%+.3e"; "% .2g"; "%015.4f"; "%-15.4f|";
          "%F"; "%.3F"; "%#F"; "%h"; "%.2h"; "%H"; "%+h"; "%20h"; "%G"; "%E" ];
      print_newline ())
    [ 0.5; 1.5; 2.5; 1e15; 123456.7; 1e-7; -0.0; 1. /. 3.; 1e22; infinity; neg_infinity; nan;
        255.9375;
      4.9e-324 ]
  [@@warning "-52"]
