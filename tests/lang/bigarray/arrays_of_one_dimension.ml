open Bigarray

let attempt f = try f () with Invalid_argument s -> print_endline s

let () =
  let a = Array1.init int c_layout 10 (fun i -> i * i) in
  a.{3} <- 100;
  Printf.printf "%d %d %d\n" a.{3} a.{9} (Array1.dim a);
  let s = Array1.sub a 2 4 in
  s.{0} <- -1;
  Printf.printf "%d %d\n" a.{2} (Array1.dim s);
  let b = Array1.create int c_layout 4 in
  Array1.blit s b; Array1.fill s 7;
  Printf.printf "%d %d %d\n" b.{0} b.{1} a.{5};
  let f = Array1.of_array float32 fortran_layout [| 1.1; 2.5; -3.0 |] in
  Printf.printf "%.9g %g %d\n" f.{1} f.{3} (Array1.size_in_bytes f);
  List.iter attempt
    [ (fun () -> ignore a.{10}); (fun () -> a.{-1} <- 0); (fun () -> ignore f.{0});
      (fun () -> ignore (Array1.sub a 8 5)); (fun () -> Array1.blit a b);
      (fun () -> ignore (Array1.create int c_layout (-1)));
          (fun () -> ignore (reshape_1 (genarray_of_array1 a) 11)) ];
  let u8 = Array1.of_array int8_unsigned c_layout [| 300; -1; 127 |] in
  let i8 = Array1.of_array int8_signed c_layout [| 300; -1; 200 |] in
  let u16 = Array1.of_array int16_unsigned c_layout [| 70000; -1 |] in
  let i16 = Array1.of_array int16_signed c_layout [| 40000; -1 |] in
  Printf.printf "%d %d %d %d %d %d %d %d %d %d\n" u8.{0} u8.{1} u8.{2} i8.{0} i8.{1} i8.{2}
      u16.{0} u16.{1} i16.{0}
    i16.{1};
  let c = Array1.of_array complex32 c_layout [| { Complex.re = 1.5; im = -2.0 } |] in
  Printf.printf "%g %g\n" c.{0}.Complex.re c.{0}.im;
  let w = Array1.change_layout f c_layout in
  Printf.printf "%g %b\n" w.{1} (Array1.layout w = c_layout && Array1.kind w = float32);
  Printf.printf "%d %d\n" (compare a a) (compare (Array1.of_array int c_layout [| 1 |])
      (Array1.of_array int c_layout [| 2 |]));
  let z = Array0.of_value int64 c_layout 5L in
  Array0.set z 6L;
  Printf.printf "%Ld\n" (Array0.get z)
