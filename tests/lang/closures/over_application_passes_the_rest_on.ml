let rec count n = if n = 0 then fun x -> x else fun x -> count (n - 1) (x + 1)
let adder a = fun b -> fun c -> fun d -> a + b + c + d
let pick first = if first then fun a _ -> a else fun _ b -> b
let chain a b = fun c d -> fun e f -> fun g h -> [ a; b; c; d; e; f; g; h ]
let unknown f = !(ref f)

let () =
  Printf.printf "%d\n" (count 1000 5);
  Printf.printf "%d\n" ((unknown adder) 1 2 3 4);
  Printf.printf "%s %s\n" ((unknown pick) true "a" "b") ((unknown pick) false "a" "b");
  List.iter (Printf.printf "%d ") ((unknown chain) 1 2 3 4 5 6 7 8);
  print_newline ();
  let id x = x in
  Printf.printf "%d\n" ((unknown id) (unknown id) (unknown id) (unknown id) id 42)
