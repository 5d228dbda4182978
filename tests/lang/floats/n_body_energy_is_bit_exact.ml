type body = { mutable x : float; mutable y : float; mutable vx : float; mutable vy : float;
              mass : float }

let energy bodies =
  let e = ref 0.0 in
  Array.iteri (fun i b ->
      e := !e +. (0.5 *. b.mass *. ((b.vx *. b.vx) +. (b.vy *. b.vy)));
      for j = i + 1 to Array.length bodies - 1 do
        let c = bodies.(j) in
        let dx = b.x -. c.x and dy = b.y -. c.y in
        e := !e -. (b.mass *. c.mass /. sqrt ((dx *. dx) +. (dy *. dy)))
      done)
    bodies;
  !e

let advance dt bodies =
  let n = Array.length bodies in
  for i = 0 to n - 1 do
    for j = i + 1 to n - 1 do
      let b = bodies.(i) and c = bodies.(j) in
      let dx = b.x -. c.x and dy = b.y -. c.y in
      let d2 = (dx *. dx) +. (dy *. dy) in
      let mag = dt /. (d2 *. sqrt d2) in
      b.vx <- b.vx -. (dx *. c.mass *. mag);
      b.vy <- b.vy -. (dy *. c.mass *. mag);
      c.vx <- c.vx +. (dx *. b.mass *. mag);
      c.vy <- c.vy +. (dy *. b.mass *. mag)
    done
  done;
  Array.iter (fun b -> b.x <- b.x +. (dt *. b.vx); b.y <- b.y +. (dt *. b.vy)) bodies

let () =
  let bodies =
    [| { x = 0.0; y = 0.0; vx = 0.0; vy = 0.0; mass = 39.5 };
       { x = 4.8; y = -1.2; vx = 0.6; vy = 2.8; mass = 0.04 };
       { x = 8.3; y = 4.1; vx = -1.0; vy = 1.8; mass = 0.01 };
       { x = 12.9; y = -15.1; vx = 1.1; vy = 0.9; mass = 0.002 } |]
  in
  Printf.printf "%h\n" (energy bodies);
  for _ = 1 to 300 do advance 0.01 bodies done;
  Printf.printf "%h %.12f\n" (energy bodies) bodies.(1).x
