(* 2-byte floats: rounding, ranges, all operations of Bigarray on them. *)
open Bigarray
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let values = [| 0.; -0.; 1.; -1.; 1.1; 0.333333333; 65504.; 65519.99; 65520.; 1e6; -1e6; infinity; neg_infinity; 6e-5; 6.1e-5; 5.96e-8; 2.98e-8; 2.99e-8; 1e-10; -5.96e-8; 1.0009765625; 1.00048828125; 1.00146484375; 2049.; 2050.; 2051.; 0.1; 3.14159265; 1e-5; 1023.5; 1024.5; 4095.; 4097. |] in
  let a = Array1.of_array Float16 C_layout values in
  Array.iteri (fun i v -> say "%h -> %h" v a.{i}) values;
  let n = Array1.of_array Float16 C_layout [| nan; -.nan |] in say "%b %b" (Float.is_nan n.{0}) (Float.is_nan n.{1});
  say "%d %d %b" (kind_size_in_bytes Float16) (Array1.size_in_bytes a) (Array1.kind n = Float16);
  let bits = Array1.create Int16_unsigned C_layout 1 in ignore bits;
  let g = Genarray.create Float16 Fortran_layout [| 2; 3; 2 |] in
  Genarray.fill g 1.25; Genarray.set g [| 2; 3; 2 |] 0.7; say "%h %h" (Genarray.get g [| 1; 1; 1 |]) (Genarray.get g [| 2; 3; 2 |]);
  let s = Array1.sub a 2 5 in s.{0} <- 9.9; say "%h %d" a.{2} (Array1.dim s);
  let m = reshape_2 (genarray_of_array1 (Array1.sub a 0 12)) 3 4 in say "%h %h" m.{1, 0} m.{2, 3};
  let c = Array1.create Float16 C_layout (Array.length values) in Array1.blit a c; say "%b %d" (c = a) (compare a c); c.{3} <- 100.; say "%d" (compare c a);
  say "%b" ((Marshal.from_string (Marshal.to_string a []) 0 : (float, float16_elt, c_layout) Array1.t) = a);
  say "%d" (Hashtbl.hash (Array1.sub a 0 8));
  let f = Array1.init Float16 C_layout 70000 (fun i -> float (i mod 2048)) in let t = ref 0. in for i = 0 to 69999 do t := !t +. f.{i} done; say "%g" !t;
  (match a.{1000} with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
  let r = Array0.of_value Float16 C_layout 2.71828 in say "%h" (Array0.get r);
  say "%h" (Array1.unsafe_get a 4); Array1.unsafe_set a 4 0.2; say "%h" a.{4};
  let l = Array1.change_layout a Fortran_layout in say "%h" l.{5}
