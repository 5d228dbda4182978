let rec build n acc = if n = 0 then acc else build (n - 1) (n :: acc)

let () =
  let a = build 150_000 [] and b = build 150_000 [] in
  Printf.printf "%b %d\n" (a = b) (compare a (0 :: b));
  let left n = let t = ref `L in for i = 1 to n do t := `N (!t, i) done; !t in
  Printf.printf "%b\n" (left 150_000 = left 150_000);
  Printf.printf "%d\n" (compare (left 1000) (left 1001));
  let m n = Array.init n (fun i -> Array.init n (fun j -> (i, string_of_int j))) in
  Printf.printf "%b %b\n" (m 60 = m 60) (m 60 = m 61);
  let rec x = 1 :: y and y = 2 :: x in
  Printf.printf "%d %b\n" (compare x [ 1; 2; 1; 3 ]) (x = [ 1; 2 ]);
  Printf.printf "%b %b %d\n" (compare nan nan = 0) (nan = nan) (compare [ nan ] [ nan ]);
  Printf.printf "%b %b\n" ([| nan |] = [| nan |]) (let l = [ nan ] in l == l && not (l = l))
