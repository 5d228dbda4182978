(* Floats in records: a net of masses and springs in the wind, with vectors as immutable records,
   particles as mutable ones, and statistics that are records with a float in a mixed record. *)
type vector = { x : float; y : float; z : float }
type particle = { mass : float; fixed : bool; mutable at : vector; mutable speed : vector; mutable force : vector }
type spring = { a : particle; b : particle; rest : float; stiffness : float; mutable stretched : int }
type energy = { mutable kinetic : float; mutable elastic : float; mutable potential : float }

let zero = { x = 0.; y = 0.; z = 0. }
let add u v = { x = u.x +. v.x; y = u.y +. v.y; z = u.z +. v.z }
let sub u v = { x = u.x -. v.x; y = u.y -. v.y; z = u.z -. v.z }
let scale k v = { x = k *. v.x; y = k *. v.y; z = k *. v.z }
let dot u v = (u.x *. v.x) +. (u.y *. v.y) +. (u.z *. v.z)
let length v = sqrt (dot v v)

let cross u v =
  { x = (u.y *. v.z) -. (u.z *. v.y); y = (u.z *. v.x) -. (u.x *. v.z); z = (u.x *. v.y) -. (u.y *. v.x) }

let side = 20

let net () =
  let particle i j =
    let at = { x = float i; y = 0.1 *. float (i * j mod 7); z = float j } in
    { mass = 1. +. (0.01 *. float ((i + j) mod 5)); fixed = j = 0; at; speed = zero; force = zero }
  in
  let particles = Array.init side (fun i -> Array.init side (particle i)) in
  let spring a b = { a; b; rest = length (sub a.at b.at); stiffness = 40.; stretched = 0 } in
  let springs = ref [] in
  for i = 0 to side - 1 do
    for j = 0 to side - 1 do
      if i + 1 < side then springs := spring particles.(i).(j) particles.(i + 1).(j) :: !springs;
      if j + 1 < side then springs := spring particles.(i).(j) particles.(i).(j + 1) :: !springs
    done
  done;
  (particles, !springs)

let pull s =
  let along = sub s.b.at s.a.at in
  let now = length along in
  let stretch = now -. s.rest in
  if stretch > 0.2 *. s.rest then s.stretched <- s.stretched + 1;
  let force = scale (s.stiffness *. stretch /. now) along in
  s.a.force <- add s.a.force force;
  s.b.force <- sub s.b.force force

let wind time p next_i next_j =
  let normal = cross (sub next_i.at p.at) (sub next_j.at p.at) in
  let gust = { x = 0.2 *. sin time; y = 1. +. cos (2. *. time); z = 0. } in
  p.force <- add p.force (scale (0.3 *. dot gust normal) normal)

let step dt p =
  if not p.fixed then begin
    let damping = scale (-0.1) p.speed in
    let acceleration = scale (1. /. p.mass) (add p.force damping) in
    p.speed <- add p.speed (scale dt acceleration);
    p.at <- add p.at (scale dt p.speed)
  end;
  p.force <- { x = 0.; y = 0.; z = -9.81 *. p.mass }

let measure particles springs =
  let e = { kinetic = 0.; elastic = 0.; potential = 0. } in
  Array.iter
    (Array.iter (fun p ->
         e.kinetic <- e.kinetic +. (0.5 *. p.mass *. dot p.speed p.speed);
         e.potential <- e.potential +. (9.81 *. p.mass *. p.at.z)))
    particles;
  List.iter
    (fun s ->
      let stretch = length (sub s.b.at s.a.at) -. s.rest in
      e.elastic <- e.elastic +. (0.5 *. s.stiffness *. stretch *. stretch))
    springs;
  e

let () =
  let steps = int_of_string Sys.argv.(1) in
  let particles, springs = net () in
  let dt = 0.004 and time = ref 0. in
  for i = 1 to steps do
    List.iter pull springs;
    for i = 0 to side - 2 do
      for j = 0 to side - 2 do
        wind !time particles.(i).(j) particles.(i + 1).(j) particles.(i).(j + 1)
      done
    done;
    Array.iter (Array.iter (step dt)) particles;
    time := !time +. dt;
    if i mod ((steps / 5) + 1) = 0 then
      let e = measure particles springs in
      Printf.printf "%.3f: %.9g %.9g %.9g\n" !time e.kinetic e.elastic e.potential
  done;
  let corner = particles.(side - 1).(side - 1).at in
  Printf.printf "%.12g %.12g %.12g\n" corner.x corner.y corner.z;
  Printf.printf "%d\n" (List.fold_left (fun n s -> n + s.stretched) 0 springs)
