let () =
  let module A = Float.ArrayLabels in
  let a = A.init 6 ~f:(fun i -> float (i * i)) in
  A.iter a ~f:(Printf.printf "%g ");
  let b = A.sub a ~pos:2 ~len:3 in
  A.iteri b ~f:(Printf.printf "%d=%g ");
  A.blit ~src:a ~src_pos:0 ~dst:b ~dst_pos:1 ~len:2;
  A.iter b ~f:(Printf.printf "%g ");
  A.fill a ~pos:1 ~len:2 0.5;
  Printf.printf "%g\n" (A.fold_left a ~init:0.0 ~f:( +. ));
  A.sort a ~cmp:(fun x y -> compare y x);
  A.iter a ~f:(Printf.printf "%g ");
  Printf.printf "%b\n" (A.mem 16.0 ~set:a)
