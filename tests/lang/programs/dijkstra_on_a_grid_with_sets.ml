module Q = Set.Make (struct type t = int * int * int let compare = compare end)

let n = 40
let cost x y = 1 + ((x * 31 + y * 17 + (x * y)) mod 9)

let () =
  let dist = Array.make_matrix n n max_int in
  dist.(0).(0) <- 0;
  let rec loop q visited =
    match Q.min_elt_opt q with
    | None -> visited
    | Some ((d, x, y) as e) ->
      let q = Q.remove e q in
      if d > dist.(x).(y) then loop q visited
      else
        let relax q (dx, dy) =
          let x' = x + dx and y' = y + dy in
          if x' < 0 || y' < 0 || x' >= n || y' >= n then q
          else
            let d' = d + cost x' y' in
            if d' < dist.(x').(y') then (dist.(x').(y') <- d'; Q.add (d', x', y') q) else q
        in
        loop (List.fold_left relax q [ (0, 1); (1, 0); (0, -1); (-1, 0) ]) (visited + 1)
  in
  let visited = loop (Q.singleton (0, 0, 0)) 0 in
  Printf.printf "%d %d %d\n" visited dist.(n - 1).(n - 1) dist.(n / 2).(n - 1)
