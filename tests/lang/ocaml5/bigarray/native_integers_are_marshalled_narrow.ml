(* Bigarrays of native integers: 4 bytes each if these suffice, else 8. *)
open Bigarray
let () =
  List.iter (fun l ->
      let a = Array1.of_array Nativeint C_layout (Array.of_list l) in
      let s = Marshal.to_string a [] in
      Printf.printf "%d %s %b\n" (String.length s) (Digest.to_hex (Digest.string s)) (Marshal.from_string s 0 = a))
    [ []; [ 0n ]; [ 0x7fffffffn; -0x80000000n ]; [ 0x80000000n ]; [ -0x80000001n ]; [ 1n; 2n; Nativeint.max_int ]; [ Nativeint.min_int ] ]
