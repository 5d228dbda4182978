let first a = a.(0)
let put a i v = a.(i) <- v
let get_unsafe a i = Array.unsafe_get a i
let set_unsafe a i v = Array.unsafe_set a i v
let swap a i j = let t = a.(i) in a.(i) <- a.(j); a.(j) <- t

let () =
  let f = [| 1.5; 2.5; 3.5 |] and i = [| 1; 2; 3 |] and s = [| "a"; "b"; "c" |] in
  Printf.printf "%g %d %s\n" (first f) (first i) (first s);
  put f 1 9.5; put i 1 9; put s 1 "z";
  swap f 0 2; swap i 0 2; swap s 0 2;
  Printf.printf "%g %g %g %d %d %d %s %s %s\n" f.(0) f.(1) f.(2) i.(0) i.(1) i.(2) s.(0) s.(1)
      s.(2);
  set_unsafe f 0 0.25; set_unsafe i 0 0; set_unsafe s 0 "u";
  Printf.printf "%g %d %s\n" (get_unsafe f 0) (get_unsafe i 0) (get_unsafe s 0);
  Printf.printf "%d %d %d\n" (Obj.tag (Obj.repr f)) (Obj.tag (Obj.repr i)) (Obj.tag (Obj.repr
      [||]));
  let g = Array.make 4 0.5 and e = Array.make 0 0.5 in
  Printf.printf "%d %d %d\n" (Obj.tag (Obj.repr g)) (Array.length e) (Obj.tag (Obj.repr e));
  let poly x = [| x; x |] in
  Printf.printf "%d %d\n" (Obj.tag (Obj.repr (poly 1.0))) (Obj.tag (Obj.repr (poly "s")));
  Printf.printf "%d\n" (Obj.tag (Obj.repr (Array.append g f)));
  Printf.printf "%d\n" (Obj.tag (Obj.repr (Array.concat [ [||]; f; [||] ])));
  Printf.printf "%g\n" (Array.fold_left ( +. ) 0.0 (Array.map float (Array.init 10 (fun i -> i))));
  let lazies = [| lazy 1.0; lazy 2.0 |] in
  Printf.printf "%g\n" (Lazy.force lazies.(0) +. Lazy.force lazies.(1))
