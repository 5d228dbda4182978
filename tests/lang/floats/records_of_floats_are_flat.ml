type vec = { mutable x : float; mutable y : float; z : float }
type mixed = { name : string; mutable weight : float }
type single = { only : float } [@@unboxed]
type one = { mutable v : float }

let add a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }

let () =
  let a = { x = 1.0; y = 2.0; z = 3.0 } in
  let b = add a { a with y = 10.0 } in
  b.x <- b.x *. 2.0;
  b.y <- b.y -. 0.5;
  Printf.printf "%g %g %g\n" b.x b.y b.z;
  Printf.printf "%d %d\n" (Obj.tag (Obj.repr a)) (Obj.size (Obj.repr a));
  Printf.printf "%d %d\n" (Obj.tag (Obj.repr { name = "n"; weight = 0.5 }))
    (Obj.tag (Obj.repr { only = 1.0 }));
  let m = { name = "m"; weight = 1.0 } in
  m.weight <- m.weight +. 1.5;
  Printf.printf "%s %g %b\n" m.name m.weight (a = { x = 1.0; y = 2.0; z = 3.0 });
  let cell = { v = 0.0 } in
  for i = 1 to 1000 do cell.v <- cell.v +. (1.0 /. float i) done;
  Printf.printf "%.12f %d\n" cell.v (compare a b)
