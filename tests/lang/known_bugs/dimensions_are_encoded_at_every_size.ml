(* Dimensions of marshalled bigarrays around 16 and 32 bits (#8791), and their hashes' last bytes. *)
open Bigarray
let () =
  List.iter
    (fun n ->
      let a = Array1.init int8_unsigned c_layout n (fun i -> i * 7 land 255) in
      let bytes = Marshal.to_string a [] in
      let b : (int, int8_unsigned_elt, c_layout) Array1.t = Marshal.from_string bytes 0 in
      let m = reshape_2 (genarray_of_array1 a) 1 n in
      let m' : (int, int8_unsigned_elt, c_layout) Array2.t = Marshal.from_string (Marshal.to_string m []) 0 in
      Printf.printf "%d: %d bytes %s, equal %b %b, hashes %b %d\n" n (String.length bytes)
        (Digest.to_hex (Digest.string bytes)) (a = b) (m = m') (Hashtbl.hash a = Hashtbl.hash b) (Hashtbl.hash a))
    [ 0; 1; 2; 3; 4; 5; 63; 64; 65; 255; 256; 257; 65534; 65535; 65536; 65537; 100000 ];
  let hashes kind make = 
    for n = 0 to 20 do Printf.printf "%d " (Hashtbl.hash (Array1.init kind c_layout n make)) done;
    print_newline () in
  hashes int8_signed (fun i -> i - 5);
  hashes int16_unsigned (fun i -> i * 1000);
  hashes int32 Int32.of_int;
  hashes int64 Int64.of_int;
  hashes float32 float_of_int;
  hashes float64 (fun i -> float_of_int i /. 3.);
  hashes complex32 (fun i -> { Complex.re = float_of_int i; im = 1. });
  hashes nativeint Nativeint.of_int;
  hashes char Char.chr
