let rec sum n = if n = 0 then 0 else n + sum (n - 1)
let rec build n = if n = 0 then [] else n :: build (n - 1)
let rec depth t = match t with `Leaf -> 0 | `Node (l, r) -> 1 + max (depth l) (depth r)

let () =
  Printf.printf "%d\n" (sum 100_000);
  Printf.printf "%d\n" (List.length (build 100_000));
  let t = ref `Leaf in
  for _ = 1 to 50_000 do t := `Node (!t, `Leaf) done;
  Printf.printf "%d\n" (depth !t);
  Printf.printf "%d\n" (List.length (List.map succ (build 60_000)));
  Printf.printf "%d\n" (List.fold_right ( + ) (build 60_000) 0)
