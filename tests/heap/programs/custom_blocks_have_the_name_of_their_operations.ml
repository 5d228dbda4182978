let arrays = Array.init 3_000 (fun i -> Bigarray.(Array1.create char c_layout (i + 1)))
let longs = List.init 1_000 (fun i -> Int64.of_int i)

let () =
  let words_of v = 1 + Obj.size (Obj.repr v) in
  let bigarrays = Array.fold_left (fun n a -> n + words_of a) 0 arrays in
  Printf.printf "expect custom block _bigarr02|%d|3000\n" (8 * bigarrays);
  let words = List.fold_left (fun n i -> n + words_of i) 0 longs in
  Printf.printf "expect custom block _j|%d|1000\n" (8 * words)
