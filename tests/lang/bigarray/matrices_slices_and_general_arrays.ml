open Bigarray

let () =
  let m = Array2.init float64 c_layout 3 4 (fun i j -> float ((10 * i) + j)) in
  m.{1, 2} <- 99.5;
  let row = Array2.slice_left m 1 in
  Printf.printf "%g %g %d %d\n" row.{2} row.{3} (Array2.dim1 m) (Array2.dim2 m);
  let f = Array2.init int fortran_layout 3 4 (fun i j -> (10 * i) + j) in
  let column = Array2.slice_right f 2 in
  Printf.printf "%d %d\n" column.{1} column.{3};
  let t = Array3.init int c_layout 2 3 4 (fun i j k -> (100 * i) + (10 * j) + k) in
  t.{1, 2, 3} <- -5;
  Printf.printf "%d %d %d\n" t.{1, 2,
      3} (Array3.slice_left_1 t 1 2).{0} (Array3.slice_left_2 t 1).{2, 3};
  let sub = Array2.sub_left m 1 2 in
  Printf.printf "%g %d\n" sub.{0, 2} (Array2.dim1 sub);
  let g = Genarray.init int c_layout [| 2; 2; 2;
      2 |] (fun ix -> Array.fold_left (fun a i -> (a * 10) + i) 0 ix) in
  Genarray.set g [| 1; 0; 1; 0 |] 77;
  Printf.printf "%d %d %d\n" (Genarray.get g [| 1; 0; 1; 0 |]) (Genarray.get g [| 1; 1; 1;
      1 |]) (Genarray.num_dims g);
  Array.iter (Printf.printf "%d ") (Genarray.dims g);
  let flat = reshape_1 g 16 in
  for i = 0 to 15 do Printf.printf "%d " flat.{i} done;
  let r = array2_of_genarray (reshape g [| 4; 4 |]) in
  Printf.printf "%d %d\n" r.{2, 2} (Genarray.nth_dim g 3);
  let s = Genarray.slice_left g [| 1; 0 |] in
  Printf.printf "%d %d\n" (Genarray.get s [| 1; 0 |]) (Genarray.size_in_bytes g);
  let h = Genarray.create int c_layout [| 2; 2; 2; 2 |] in
  Genarray.fill h 3; Genarray.blit g h;
  Printf.printf "%b %b\n" (g = h) (Genarray.change_layout g fortran_layout |> fun x ->
      Genarray.layout x = fortran_layout);
  List.iter (fun f -> try f () with Invalid_argument s -> print_endline s)
    [ (fun () -> ignore (Genarray.get g [| 0; 0 |])); (fun () -> ignore (Genarray.get g [| 0; 0;
        0; 2 |]));
      (fun () -> ignore (array1_of_genarray g)); (fun () -> ignore (Genarray.slice_left g [| 5 |]));
      (fun () -> ignore (Genarray.create int c_layout (Array.make 17 1)));
          (fun () -> ignore m.{3, 0});
      (fun () -> ignore (Array2.sub_left m 2 2)); (fun () -> ignore (Genarray.sub_left g 1 2));
      (fun () -> ignore (Array2.of_array int c_layout [| [| 1 |]; [| 1; 2 |] |])) ]
