external format_float : string -> float -> string = "caml_format_float"
external format_int : string -> int -> string = "caml_format_int"

let () =
  List.iter (fun width ->
      let format letter = "%" ^ string_of_int width ^ letter in
      let digest s = Printf.printf "%d %s\n" (String.length s) (Digest.to_hex (Digest.string s)) in
      digest (format_float (format ".3f") (sqrt 2.));
      digest (format_float ("%." ^ string_of_int width ^ "f") (sqrt 2.));
      digest (format_int (format "d") (-42));
      digest (format_int (format "x") 42);
      digest (Printf.sprintf "%*h" width (sqrt 2.));
      digest (Int64.to_string (Int64.of_string (Int64.to_string 12345678901234L))))
    [ 1; 20; 127; 128; 129; 500; 3000 ];
  let m, e = frexp (sqrt 1e10) and f, w = modf (sqrt 20.) in
  Printf.printf "%h %d %h %h\n" m e f w;
  let pairs = List.init 20 (fun i -> Int64.(add (of_int i) 1L), Int32.(mul (of_int i) 3l), Nativeint.(sub (of_int i) 9n)) in
  List.iter (fun (a, b, c) -> Printf.printf "%Ld %ld %nd " a b c) pairs;
  List.iter (fun s -> Printf.printf "%h " (float_of_string s)) [ "1.5"; "0x1.8p3"; "1_0"; String.make 200 '7' ];
  print_newline ()
