(* Signs, prefixes, underscores and the ranges of the four integer types. *)
let types s =
  let show to_string f = try to_string (f s) with Failure m -> "Failure " ^ m in
  Printf.printf "%S: %s | %s | %s | %s\n" s
    (show string_of_int int_of_string)
    (show Int32.to_string Int32.of_string)
    (show Int64.to_string Int64.of_string)
    (show Nativeint.to_string Nativeint.of_string)

let bodies =
  [ ""; "0"; "1"; "7"; "8"; "9"; "10"; "_"; "_1"; "1_"; "1__2"; "a"; "F"; "g"; "1 "; " 1"; "1.0"; "1e3";
    "\0001"; "1\000"; "00000000000000000000000000000000001"; "2147483647"; "2147483648";
    "2147483649"; "4294967295"; "4294967296"; "4611686018427387903"; "4611686018427387904";
    "4611686018427387905"; "9223372036854775807"; "9223372036854775808"; "9223372036854775809";
    "18446744073709551615"; "18446744073709551616"; "184467440737095516150"; "7fffffff"; "80000000";
    "ffffffff"; "100000000"; "3fffffffffffffff"; "4000000000000000"; "7fffffffffffffff";
    "8000000000000000"; "ffffffffffffffff"; "10000000000000000"; "fFfF_0000"; "17777777777";
    "37777777777"; "40000000000"; "777777777777777777777"; "1777777777777777777777";
    "2000000000000000000000"; String.make 31 '1'; String.make 32 '1'; String.make 33 '1';
    String.make 62 '1'; String.make 63 '1'; String.make 64 '1'; String.make 65 '1';
    "1" ^ String.make 63 '0'; "x"; "0x1"; "-1"; "+1"; "u1"; "b1" ]

let prefixes = [ ""; "0x"; "0X"; "0o"; "0O"; "0b"; "0B"; "0u"; "0U"; "0a"; "00x" ]
let signs = [ ""; "-"; "+"; "--"; "+-"; " " ]

let () =
  List.iter (fun sign ->
      List.iter (fun prefix -> List.iter (fun body -> types (sign ^ prefix ^ body)) bodies) prefixes)
    signs;
  Printf.printf "%s %s\n"
    (match int_of_string_opt "12x" with None -> "none" | Some n -> string_of_int n)
    (match int_of_string_opt "0b1010" with None -> "none" | Some n -> string_of_int n)
