let read s =
  match float_of_string s with
  | x -> Printf.printf "%S -> %Lx %h\n" s (Int64.bits_of_float x) x
  | exception Failure m -> Printf.printf "%S -> Failure %s\n" s m

let decimal =
  [ ""; "1"; "_1"; "1_"; "1__0"; "+1"; "-1"; " 1"; "1 "; "\n1"; "\t-2.5"; "--1"; "+-1"; "-+1"; "-0"; "1.5e";
    "1.5e+"; "1.5e3x"; ".5"; "5."; "."; "e5"; "1\0002"; "\000"; "_"; "__"; "1e1_0"; "-_1"; "-"; "+"; "0b1"; "0o7";
    "0u1"; "1,5"; "1.2.3"; "1e400"; "-1e400"; "1e-400"; "-1e-400"; "1e999999999999"; "1e-999999999999";
    "4.9406564584124654e-324"; "2.4703282292062327e-324"; "2.4703282292062328e-324";
    "2.2250738585072011e-308"; "2.2250738585072014e-308"; "1.7976931348623157e308"; "1.7976931348623158e308";
    "1.7976931348623159e308"; "9007199254740993"; "9007199254740992.5"; "0.1"; "123456789012345678901234567890";
    "0.000000000000000000000000000000000000001"; "3.14159265358979323846264338327950288419716939937510";
    "inf"; "-inf"; "+inf"; "INF"; "infinity"; "Infinity"; "-iNfInItY"; "infinit"; "infinityx"; "nan"; "-nan"; "NaN";
    "nan(12)"; "nan()"; "nan(x"; "na"; "i"; "n_an"; "in_f" ]

let hexadecimal =
  [ "0x"; "0x."; "0xp1"; "0x.p1"; "0x1"; "0X1"; "0x1."; "0x.8"; "0x1p"; "0x1p "; "0x1p+3"; "0x1p +3"; "0x1p 3";
    "0x1p- 3"; "0x1p--3"; "0x1P-3"; "0x1p3x"; "0x1p3\000"; "0xg"; "0x1\000p3"; "0x1p0x3"; "0x-1"; "0x+1"; "0x 1";
    "0x1_0p1_0"; "0_x1"; "0x_1"; "0x1.8.8"; "0x1..8"; "+0x1p3"; "-0x1p3"; " 0x1p3"; " -0x1p3"; "--0x1"; "-0x0"; "-0x1_8";
    "0x1p2000"; "0x1p-2000"; "-0x1p-2000"; "0x1p99999999999999999999"; "0x0p99999999999999999999";
    "0x1p-99999999999999999999"; "0x1p2147483647"; "0x1p2147483648"; "0x1p-2147483648"; "0x1p-2147483649";
    "0x0.0000000000000000000001p100"; "0x1.fffffffffffff8p0"; "0x1.fffffffffffff7p0";
    "0x1.fffffffffffff7ffffffffffffffff"; "0x1.00000000000008p0"; "0x1.00000000000018p0";
    "0x1.000000000000080000000000001p0"; "0x1.fffffffffffffp-1030"; "0x1.000000000000081p-1023";
    "0x1.00000000000018p-1023"; "0x1.8p-1074"; "0x0.8p-1074"; "0x0.4p-1073"; "0x0.c00000000000001p-1074";
    "0x0.8000000000000000001p-1074"; "0x10000000000000000000000000000000000000p-100"; "0x7fffffffffffffff8";
    "0x123456789abcdef0123"; "0x123456789ABCDEF.8p-3"; "0x1.fffffffffffffp1023"; "0x1.fffffffffffff8p1023";
    "0x1.fffffffffffff7fp1023"; "0x0000000000000000000000000000000000001.8"; "0x.0000000000000000000000000001" ]

let () =
  List.iter read decimal;
  List.iter read hexadecimal;
  read (String.make 100 '1');
  read ("0." ^ String.make 400 '0' ^ "1e400");
  read ("0x" ^ String.make 300 '0' ^ "1p" ^ String.make 20 '0' ^ "4");
  print_endline (match float_of_string_opt "1e" with None -> "none" | Some x -> string_of_float x);
  let state = ref 12345 in
  for _ = 1 to 300 do
    state := (!state * 1103515245 + 12345) land 0x3fffffffffff;
    let exponent = (!state lsr 20) mod 640 - 320 in
    read (Printf.sprintf "%d.%de%d" (!state land 0xff) !state exponent);
    read (Printf.sprintf "0x%x.%xp%d" (!state land 0xff) !state (exponent * 3))
  done
