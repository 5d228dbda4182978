(* Bigarrays of 16-bit floats: rounding, every primitive, order, hash, marshalling, views. *)
open Bigarray
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let one x = let a = Array1.create Float16 C_layout 1 in a.{0} <- x; a.{0}
let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))

let () =
  List.iter (fun x -> p "%h -> %h" x (one x); p "%h -> %h" (-. x) (one (-. x)))
    [ 0.; 1.; 1.1; 0.1; 3.14159; 1e6; 65504.; 65519.; 65519.99; 65520.; 65536.; 6e-8; 0x1p-24; 0x1p-25; 0x1.000001p-25;
      0x1.8p-24; 0x1.4p-24; 0x1.cp-24; 0x1p-14; 0x1.ffcp-15; 0x1.ffep-15; 0x1.fffp-15; 0x1.ffffp-15; 0x1.002p0; 0x1.006p0;
      0x1.0020000001p0; 0x1.001ffffffp0; 0x1.00600000001p0; 2049.; 2050.; 2051.; 4098.; 4099.; 0x1p-1074; 1e-300; 1e300;
      infinity; 0x1.8p-26; 0x1.0000000000001p-25 ];
  p "nan %b %h" (Float.is_nan (one nan)) (Float.copy_sign 1. (one nan));
  (* Every value of 16 bits is read and stored unchanged. *)
  let a = Array1.create Float16 C_layout 65536 in
  let bytes = Bytes.make (65536 * 2) '\000' in
  for i = 0 to 65535 do Bytes.set_uint16_be bytes (2 * i) i done;
  let header = "\x84\x95\xa6\xbe" in
  ignore header;
  let sample = Marshal.to_string a [] in
  let m = Bytes.of_string sample in
  Bytes.blit bytes 0 m (String.length sample - 131072) 131072;
  let all : (float, float16_elt, c_layout) Array1.t = Marshal.from_bytes m 0 in
  let same = ref 0 in
  let d = Buffer.create 1000000 in
  for i = 0 to 65535 do
    let x = all.{i} in
    Buffer.add_string d (Printf.sprintf "%h " x);
    a.{i} <- x;
  done;
  let back = Marshal.to_string a [] in
  for i = 0 to 65535 do
    let at = String.length back - 131072 + 2 * i in
    if String.get_uint16_be back at = i then incr same
  done;
  p "%s, same %d" (Digest.to_hex (Digest.string (Buffer.contents d))) !same;
  (* Doubles between all neighbours. *)
  let b = Buffer.create 1000000 in
  for i = 0 to 0x7bfe do
    let x = all.{i} and y = all.{i + 1} in
    let m = (x +. y) /. 2. in
    List.iter (fun v -> Buffer.add_string b (Printf.sprintf "%h " (one v))) [ m; Float.pred m; Float.succ m; m *. 1.0000001; m *. 0.9999999 ]
  done;
  p "%s" (Digest.to_hex (Digest.string (Buffer.contents b)))

let () =
  p "%d %d" (kind_size_in_bytes Float16) (Array1.size_in_bytes (Array1.create Float16 C_layout 7));
  let a = Array2.init Float16 C_layout 3 4 (fun i j -> float_of_int (i * 10 + j) /. 4.) in
  p "%g %g" a.{2, 3} (Array1.get (Array2.slice_left a 1) 2);
  let f = Array2.of_array Float16 Fortran_layout [| [| 1.; 2. |]; [| 3.; 4.5 |] |] in
  p "%g %g" f.{2, 1} f.{2, 2};
  let g = Genarray.create Float16 C_layout [| 2; 3; 2; 2 |] in
  Genarray.fill g 0.7;
  Genarray.set g [| 1; 2; 0; 1 |] 9.5;
  p "%h %g" (Genarray.get g [| 0; 0; 0; 0 |]) (Genarray.get g [| 1; 2; 0; 1 |]);
  p "%d" (Genarray.num_dims (Genarray.slice_left g [| 1 |]));
  let s = Array1.sub (Array1.init Float16 C_layout 10 float_of_int) 3 4 in
  p "%g %g %d" s.{0} s.{3} (Array1.dim s);
  let t = Array1.create Float16 C_layout 4 in
  Array1.blit s t;
  p "%g" t.{3};
  p "%g" (reshape_2 (genarray_of_array1 s) 2 2).{1, 1};
  p "%g" (Genarray.get (Genarray.change_layout (genarray_of_array2 a) Fortran_layout) [| 4; 3 |]);
  (match Genarray.kind g with Float16 -> p "kind float16" | _ -> p "another kind");
  attempt "bound" (fun () -> string_of_float s.{4});
  let c = Array3.init Float16 C_layout 2 2 2 (fun i j k -> float_of_int (i + j + k)) in
  c.{1, 1, 1} <- 0.3;
  p "%h" c.{1, 1, 1}

let () =
  let v l = Array1.of_array Float16 C_layout (Array.of_list l) in
  let pairs = [ [ 1. ], [ 2. ]; [ 1. ], [ 1. ]; [ 0. ], [ -0. ]; [ nan ], [ 1. ]; [ nan ], [ nan ]; [ 1.; nan ], [ 2.; 1. ];
                [ -1. ], [ 1. ]; [ infinity ], [ 65504. ]; [ 1.; 2. ], [ 1. ]; [ 3. ], [ nan ]; [ neg_infinity ], [ nan ] ] in
  List.iter (fun (x, y) ->
      let x = v x and y = v y in
      p "%d %d %b %b %b %b" (compare x y) (compare y x) (x = y) (x < y) (x >= y) (x <> y)) pairs;
  p "with float32: %d %d" (compare (Obj.repr (v [ 1. ])) (Obj.repr (Array1.of_array Float32 C_layout [| 1. |])))
    (compare (Obj.repr (Array1.of_array Char C_layout [| 'a' |])) (Obj.repr (v [ 1. ])));
  List.iter (fun l -> p "hash %d" (Hashtbl.hash (v l)))
    [ []; [ 1. ]; [ 1.; 2. ]; [ 1.; 2.; 3. ]; [ 0. ]; [ -0. ]; [ nan ]; [ -. nan ]; [ infinity ]; List.init 64 float_of_int;
      List.init 65 float_of_int; List.init 127 float_of_int; List.init 128 float_of_int; List.init 129 float_of_int; List.init 300 float_of_int ];
  let a = v [ 1.5; -2.25; nan; infinity; 1e-7 ] in
  let m = Marshal.to_string a [] in
  p "%s" (hex m);
  let b : (float, float16_elt, c_layout) Array1.t = Marshal.from_string m 0 in
  p "%d %h" (compare a b) b.{4};
  let g = Genarray.create Float16 Fortran_layout [| 3; 0; 2 |] in
  p "%s" (hex (Marshal.to_string g []))
