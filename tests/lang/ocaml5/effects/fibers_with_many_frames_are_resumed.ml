(* Suspension deep in a recursion, with results and exceptions on the way back. *)
open Effect
open Effect.Deep

type _ Effect.t += Yield : int -> int t
exception Found of int

let generator (type b) f : (unit -> int option) =
  let rec next = ref (fun () ->
    match_with (fun () -> f (fun i -> ignore (perform (Yield i))); next := (fun () -> None); None) ()
      { retc = Fun.id; exnc = raise;
        effc = fun (type a) (e : a Effect.t) -> match e with
          | Yield i -> Some (fun (k : (a, int option) continuation) ->
              next := (fun () -> continue k 0); Some i)
          | _ -> None }) in
  fun () -> !next ()

type tree = Leaf | Node of tree * int * tree
let rec build lo hi = if lo > hi then Leaf else
  let m = (lo + hi) / 2 in Node (build lo (m - 1), m, build (m + 1) hi)
let rec list_like n = if n = 0 then Leaf else Node (list_like (n - 1), n, Leaf)
let rec iter f = function Leaf -> () | Node (l, x, r) -> iter f l; f x; iter f r

let rec take next n = if n = 0 then [] else match next () with None -> [] | Some i -> i :: take next (n - 1)
let sum next = let rec go s n = match next () with None -> s, n | Some i -> go (s + i) (n + 1) in go 0 0

let () =
  let next = generator (fun f -> iter f (build 1 20)) in
  print_endline (String.concat " " (List.map string_of_int (take next 30)));
  List.iter (fun tree ->
    let s, n = sum (generator (fun f -> iter f tree)) in
    Printf.printf "sum %d of %d\n" s n) [ Leaf; build 1 1; build 1 5000; list_like 5; list_like 20000 ]

(* Two generators side by side: the same fringe. *)
let same a b =
  let a = generator (fun f -> iter f a) and b = generator (fun f -> iter f b) in
  let rec go () = match a (), b () with None, None -> true | x, y -> x = y && go () in
  go ()
let () = Printf.printf "%b %b\n" (same (build 1 3000) (list_like 3000)) (same (build 1 3000) (list_like 2999))

(* Each level performs before and after the call below it, and some catch. *)
let rec levels n =
  if n = 0 then perform (Yield 0)
  else
    let a = perform (Yield n) in
    let b = try levels (n - 1) with Found i when i mod 17 = n mod 17 -> perform (Yield i) in
    let c = perform (Yield (a + b)) in
    if c mod 1013 = 0 then raise (Found (n + c)) else (a + b + c) land 0xffffff
let run stop n =
  let steps = ref 0 in
  match match_with levels n { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Yield i -> Some (fun (k : (a, int) continuation) ->
          incr steps;
          if !steps mod stop = 0 then discontinue k (Found !steps) else continue k (i + 1))
      | _ -> None } with
  | r -> Printf.printf "levels %d: %d in %d steps\n" n r !steps
  | exception Found i -> Printf.printf "levels %d: found %d in %d steps\n" n i !steps
let () =
  List.iter (fun stop -> List.iter (run stop) [ 0; 1; 2; 5; 10; 20; 50; 100; 1000 ]) [ 1000000; 97; 10; 3 ]
