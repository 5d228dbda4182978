(* Deep, wide and cyclic values in compare, equality and hash (wasm_of_ocaml #46). *)
type t = L | N of t * t
let rec left n t = if n = 0 then t else left (n - 1) (N (t, L))
let rec right n t = if n = 0 then t else right (n - 1) (N (L, t))
let rec zigzag n t = if n = 0 then t else zigzag (n - 1) (if n land 1 = 0 then N (t, L) else N (L, t))

let () =
  List.iter
    (fun make ->
      let a = make 60_000 L and b = make 60_000 L and c = make 60_001 L in
      Printf.printf "%b %b %d %d %b\n" (a = b) (a = c) (compare a c) (compare c a) (Hashtbl.hash a = Hashtbl.hash b))
    [ left; right; zigzag ];
  let wide n = Array.init n (fun i -> (i, string_of_int i, [| float_of_int i |])) in
  Printf.printf "%b %d\n" (wide 10_000 = wide 10_000) (compare (wide 10_000) (wide 9_999));
  let rec x = 1 :: 2 :: x and y = 1 :: 2 :: 3 :: y in
  Printf.printf "%d %b %d\n" (compare x y) (x = y) (compare y [ 1; 2 ]);
  Printf.printf "%d %d\n" (Hashtbl.hash x) (Hashtbl.hash_param 5 100 y);
  Printf.printf "%b\n" (x == x && compare x x = 0)
