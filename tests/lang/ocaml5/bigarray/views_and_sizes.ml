(* stress: no: counts bytes out of the heap *)
open Bigarray
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  List.iter (fun (n, s) -> say "%s %d" n s)
    [ "float16", kind_size_in_bytes Float16; "float32", kind_size_in_bytes Float32; "float64", kind_size_in_bytes Float64; "int8", kind_size_in_bytes Int8_signed; "int16", kind_size_in_bytes Int16_unsigned;
      "int", kind_size_in_bytes Int; "int32", kind_size_in_bytes Int32; "int64", kind_size_in_bytes Int64; "nativeint", kind_size_in_bytes Nativeint; "complex32", kind_size_in_bytes Complex32; "complex64", kind_size_in_bytes Complex64; "char", kind_size_in_bytes Char ];
  let a = Array3.init Int C_layout 3 4 5 (fun i j k -> (100 * i) + (10 * j) + k) in
  say "%d %d %d" a.{2, 3, 4} (Array3.slice_left_1 a 1 2).{3} (Array3.slice_left_2 a 2).{1, 1};
  let b = Array3.change_layout a Fortran_layout in say "%d %d" b.{5, 4, 3} (Array3.slice_right_2 b 1).{2, 2};
  let v = Array3.sub_left a 1 2 in v.{0, 0, 0} <- -1; say "%d %d" a.{1, 0, 0} (Array3.dim1 v);
  let g = genarray_of_array3 a in say "%d %d" (Genarray.num_dims g) (Genarray.nth_dim g 2);
  let r = reshape_1 g 60 in say "%d %d" r.{59} (Array1.dim r);
  List.iter (fun (n, f) -> match f () with () -> say "%s fine" n | exception e -> say "%s: %s" n (Printexc.to_string e))
    [ "reshape", (fun () -> ignore (reshape_1 g 59)); "sub", (fun () -> ignore (Array3.sub_left a 2 2)); "index", (fun () -> a.{0, 4, 0} <- 1); "negative", (fun () -> ignore (Array1.create Int C_layout (-1)));
      "blit", (fun () -> Array1.blit (Array1.create Int C_layout 3) (Array1.create Int C_layout 4)); "too big", (fun () -> ignore (Genarray.create Float64 C_layout (Array.make 5 max_int))); "dims", (fun () -> ignore (Genarray.create Int C_layout (Array.make 17 1))) ];
  let keep = Array1.create Char C_layout 1_000_000 in
  let before = (Gc.quick_stat ()).major_collections in
  for i = 0 to 2000 do ignore (Sys.opaque_identity (Array1.sub keep i 10)) done;
  say "few collections for views: %b" ((Gc.quick_stat ()).major_collections - before < 50)
