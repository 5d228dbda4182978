let o = Sys.opaque_identity
let table = [| 0; 1; -1; 2; -2; 7; -7; 10; 1000; max_int; min_int; max_int - 1; min_int + 1 |]

let () =
  Array.iter (fun a ->
      Array.iter (fun b ->
          Printf.printf "%d %d %d" (o a + o b) (o a - o b) (o a * o b);
          if b <> 0 then Printf.printf " %d %d" (o a / o b) (o a mod o b);
          print_newline ())
        table)
    table;
  Printf.printf "%d %d\n" (o min_int / o (-1)) (o min_int mod o (-1));
  Printf.printf "%d %d %d %d\n" (-7 / 2) (-7 mod 2) (7 / -2) (7 mod -2);
  Printf.printf "%d %d %d\n" (abs min_int) (-min_int) (~- (o max_int));
  Printf.printf "%d %d\n" (succ max_int) (pred min_int)
