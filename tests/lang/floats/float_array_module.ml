let show a =
  print_string "[";
  Float.Array.iter (Printf.printf "%g;") a;
  print_endline "]"

let attempt f = try f () with Invalid_argument s -> print_endline s | Not_found -> print_endline
    "nf"

let () =
  let module A = Float.Array in
  let a = A.init 5 (fun i -> float i /. 2.0) in
  show a;
  A.set a 1 9.5;
  Printf.printf "%d %g\n" (A.length a) (A.get a 1);
  show (A.make 3 1.25);
  show (A.append a (A.make 2 0.0));
  show (A.concat [ a; A.make 1 7.0; a ]);
  show (A.sub a 1 3);
  let b = A.copy a in
  A.fill b 1 2 (-1.0);
  show b;
  A.blit a 0 b 2 3;
  show b;
  A.blit b 0 b 1 4;
  show b;
  List.iter (Printf.printf "%g ") (A.to_list a);
  show (A.of_list [ 3.0; 1.0; 2.0 ]);
  show (A.map (fun x -> x *. 2.0) a);
  show (A.mapi (fun i x -> x +. float i) a);
  show (A.map2 ( +. ) a a);
  A.iteri (fun i x -> Printf.printf "%d:%g " i x) a;
  A.iter2 (fun x y -> Printf.printf "%g " (x *. y)) a a;
  Printf.printf "%g %g\n" (A.fold_left ( +. ) 0.0 a) (A.fold_right ( -. ) a 0.0);
  Printf.printf "%b %b %b %b\n" (A.for_all (fun x -> x >= 0.0) a) (A.exists (fun x -> x > 9.) a)
    (A.mem 9.5 a) (A.mem_ieee nan (A.make 1 nan));
  let c = A.of_list [ 3.0; -1.0; 2.0; nan; 0.5; -0.0; 0.0 ] in
  A.sort compare c; show c;
  let d = A.init 40 (fun i -> float ((i * 17) mod 23)) in
  A.stable_sort compare d; show d;
  A.fast_sort (fun x y -> compare y x) d; show d;
  show (A.of_seq (Seq.map (fun x -> x +. 1.0) (A.to_seq a)));
  Seq.iter (fun (i, x) -> Printf.printf "%d=%g " i x) (A.to_seqi a);
  print_newline ();
  Array.iter (Printf.printf "%g ") (A.map_to_array (fun x -> x) a);
  show (A.map_from_array float [| 1; 2 |]);
  A.unsafe_set a 0 0.125;
  Printf.printf "%g\n" (A.unsafe_get a 0);
  let fresh = A.create 4 in
  Printf.printf "%d\n" (A.length fresh);
  attempt (fun () -> ignore (A.get a 5));
  attempt (fun () -> A.set a (-1) 0.0);
  attempt (fun () -> ignore (A.create (-1)));
  attempt (fun () -> ignore (A.sub a 3 5));
  attempt (fun () -> A.blit a 0 b 3 5);
  attempt (fun () -> A.fill a 4 2 0.0);
  attempt (fun () -> ignore (A.make (-2) 0.0));
  attempt (fun () -> ignore (A.init (-2) float));
  Printf.printf "%d\n" (A.length (A.create 0));
  Printf.printf "%d\n" (compare (A.make 2 1.0) (A.make 2 2.0))
