let wide a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 =
  let b0 = a0 + 1 and b1 = a1 + 2 and b2 = a2 + 3 and b3 = a3 + 4 and b4 = a4 + 5 in
  let c0 = b0 * a5 and c1 = b1 * a6 and c2 = b2 * a7 and c3 = b3 * a8 and c4 = b4 * a9 in
  let f x = c0 + c1 + c2 + c3 + c4 + x in
  let g x = f x + b0 + b1 + b2 + b3 + b4 in
  let rec h n x = if n = 0 then g x else h (n - 1) (f x land 0xFFFF) in
  let m = ref a0 and k = ref a9 in
  for i = 0 to 20 do
    let t = !m in
    m := (!k + (i * t)) land 0xFFFFF;
    k := t lxor h 3 i
  done;
  (!m, !k, h 10 a0)

let () =
  let x, y, z = wide 1 2 3 4 5 6 7 8 9 10 in
  Printf.printf "%d %d %d\n" x y z;
  let fs = List.init 12 (fun i -> wide i (i + 1) (i * 2)) in
  List.iteri (fun i f ->
      let a, b, c = f 1 2 3 4 5 6 i in
      Printf.printf "%d/%d/%d " a b c) fs;
  print_newline ()
