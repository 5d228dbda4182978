external lessthan : string -> string -> bool = "caml_string_lessthan"
external lessequal : string -> string -> bool = "caml_string_lessequal"
external greaterthan : string -> string -> bool = "caml_string_greaterthan"
external greaterequal : string -> string -> bool = "caml_string_greaterequal"
external equal : string -> string -> bool = "caml_string_equal"
external notequal : string -> string -> bool = "caml_string_notequal"
external compare_ : string -> string -> int = "caml_string_compare"
external b_lessthan : bytes -> bytes -> bool = "caml_bytes_lessthan"
external b_lessequal : bytes -> bytes -> bool = "caml_bytes_lessequal"
external b_greaterthan : bytes -> bytes -> bool = "caml_bytes_greaterthan"
external b_greaterequal : bytes -> bytes -> bool = "caml_bytes_greaterequal"
external b_equal : bytes -> bytes -> bool = "caml_bytes_equal"
external b_notequal : bytes -> bytes -> bool = "caml_bytes_notequal"
external b_compare : bytes -> bytes -> int = "caml_bytes_compare"

let strings =
  [ ""; "\000"; "\000\000"; "a"; "a\000"; "ab"; "abc"; "abd"; "b"; "\127"; "\128"; "\255"; "abcdefg"; "abcdefgh"; "abcdefg\000";
    "abcdefg\007"; "abcdefghi"; "abcdefgi"; "\000\000\000\000\000\000\000"; "\000\000\000\000\000\000\000\000";
    String.make 300 'x'; String.make 300 'x' ^ "y"; String.make 299 'x' ^ "y" ]

let () =
  List.iter (fun a ->
      List.iter (fun b ->
          let a = String.concat "" [ a; "" ] in
          let x = Bytes.of_string a and y = Bytes.of_string b in
          Printf.printf "%d %b %b %b %b %b %b | %d %b %b %b %b %b %b\n" (compare_ a b) (equal a b) (notequal a b)
            (lessthan a b) (lessequal a b) (greaterthan a b) (greaterequal a b) (b_compare x y) (b_equal x y)
            (b_notequal x y) (b_lessthan x y) (b_lessequal x y) (b_greaterthan x y) (b_greaterequal x y))
        strings)
    strings;
  List.iter (fun s -> Printf.printf "%b %d\n" (equal s s) (compare_ s s)) strings
