(* Float records: planets around a star. *)
type body = {
  mutable x : float;
  mutable y : float;
  mutable z : float;
  mutable vx : float;
  mutable vy : float;
  mutable vz : float;
  mass : float;
}

let body i =
  let f = float_of_int i in
  if i = 0 then { x = 0.; y = 0.; z = 0.; vx = 0.; vy = 0.; vz = 0.; mass = 40. }
  else
    let r = 4. +. (6. *. f) in
    { x = r *. cos f; y = r *. sin f; z = 0.1 *. f;
      vx = -2.6 *. sin f /. sqrt r; vy = 2.6 *. cos f /. sqrt r; vz = 0.01 *. f;
      mass = 0.03 /. f }

let advance bodies dt =
  let n = Array.length bodies in
  for i = 0 to n - 1 do
    let a = bodies.(i) in
    for j = i + 1 to n - 1 do
      let b = bodies.(j) in
      let dx = a.x -. b.x and dy = a.y -. b.y and dz = a.z -. b.z in
      let d2 = (dx *. dx) +. (dy *. dy) +. (dz *. dz) in
      let mag = dt /. (d2 *. sqrt d2) in
      a.vx <- a.vx -. (dx *. b.mass *. mag);
      a.vy <- a.vy -. (dy *. b.mass *. mag);
      a.vz <- a.vz -. (dz *. b.mass *. mag);
      b.vx <- b.vx +. (dx *. a.mass *. mag);
      b.vy <- b.vy +. (dy *. a.mass *. mag);
      b.vz <- b.vz +. (dz *. a.mass *. mag)
    done
  done;
  Array.iter
    (fun b ->
      b.x <- b.x +. (dt *. b.vx);
      b.y <- b.y +. (dt *. b.vy);
      b.z <- b.z +. (dt *. b.vz))
    bodies

let energy bodies =
  let e = ref 0. in
  Array.iteri
    (fun i b ->
      e := !e +. (0.5 *. b.mass *. ((b.vx *. b.vx) +. (b.vy *. b.vy) +. (b.vz *. b.vz)));
      for j = i + 1 to Array.length bodies - 1 do
        let o = bodies.(j) in
        let d = sqrt (((b.x -. o.x) ** 2.) +. ((b.y -. o.y) ** 2.) +. ((b.z -. o.z) ** 2.)) in
        e := !e -. (b.mass *. o.mass /. d)
      done)
    bodies;
  !e

let () =
  let bodies = Array.init 5 body in
  Printf.printf "%.9f\n" (energy bodies);
  for _ = 1 to int_of_string Sys.argv.(1) do
    advance bodies 0.01
  done;
  Printf.printf "%.9f\n" (energy bodies)
