let attempt kind conv show s =
  match conv s with
  | v -> Printf.printf "%s %S = %s\n" kind s (show v)
  | exception Failure m -> Printf.printf "%s %S: %s\n" kind s m

let () =
  List.iter (fun s ->
      attempt "int32" Int32.of_string Int32.to_string s;
      attempt "int64" Int64.of_string Int64.to_string s;
      attempt "native" Nativeint.of_string Nativeint.to_string s)
    [ "0"; "-1"; "+7"; "2147483647"; "2147483648"; "-2147483648"; "-2147483649"; "0x80000000";
      "0xffffffff"; "0x100000000"; "9223372036854775807"; "9223372036854775808";
      "-9223372036854775808"; "-9223372036854775809"; "0xffffffffffffffff"; "0u4294967295";
      "0u18446744073709551615"; "0u18446744073709551616"; "0b11"; "0o17"; "1_0"; ""; "x"; "1l";
          "_" ];
  Printf.printf "%b %b\n" (Int32.of_string_opt "zz" = None) (Int64.of_string_opt "12" = Some 12L)
