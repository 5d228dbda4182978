type 'a nested = Flat of 'a list | Nest of 'a list nested

let rec depth : 'a. 'a nested -> int = function Flat _ -> 0 | Nest n -> 1 + depth n
let rec total : 'a. ('a -> int) -> 'a nested -> int = fun f -> function
  | Flat l -> List.fold_left (fun n x -> n + f x) 0 l
  | Nest n -> total (fun l -> List.fold_left (fun n x -> n + f x) 0 l) n

type 'a perfect = Zero of 'a | Succ of ('a * 'a) perfect
let rec build : 'a. int -> 'a -> 'a perfect = fun n x -> if n = 0 then Zero x else Succ (build (n
    - 1) (x, x))
let rec size : 'a. 'a perfect -> int = function Zero _ -> 1 | Succ p -> 2 * size p

type rank2 = { apply : 'a. 'a list -> int }
let use { apply } = apply [ 1; 2 ] + apply [ "x" ]

let () =
  let n = Nest (Nest (Flat [ [ [ 1; 2 ]; [ 3 ] ]; [ [ 4 ] ] ])) in
  Printf.printf "%d %d\n" (depth n) (total Fun.id n);
  Printf.printf "%d\n" (size (build 20 'x'));
  Printf.printf "%d\n" (use { apply = List.length })
