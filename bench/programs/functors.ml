(* Functors and first-class modules: one heap algorithm over several orders and element types. *)
module type ORDER = sig
  type t

  val compare : t -> t -> int
end

module Heap (O : ORDER) = struct
  type t = Empty | Node of int * O.t * t * t

  let rank = function Empty -> 0 | Node (r, _, _, _) -> r

  let make x a b =
    if rank a >= rank b then Node (rank b + 1, x, a, b) else Node (rank a + 1, x, b, a)

  let rec merge a b =
    match (a, b) with
    | Empty, h | h, Empty -> h
    | Node (_, x, l, r), Node (_, y, l2, r2) ->
        if O.compare x y <= 0 then make x l (merge r b) else make y l2 (merge a r2)

  let add x h = merge (Node (1, x, Empty, Empty)) h
  let pop = function Empty -> None | Node (_, x, l, r) -> Some (x, merge l r)

  let sort l =
    let rec drain acc h = match pop h with None -> List.rev acc | Some (x, h) -> drain (x :: acc) h in
    drain [] (List.fold_left (fun h x -> add x h) Empty l)
end

module Reverse (O : ORDER) = struct
  type t = O.t

  let compare a b = O.compare b a
end

module Pair (A : ORDER) (B : ORDER) = struct
  type t = A.t * B.t

  let compare (a, b) (c, d) =
    let first = A.compare a c in
    if first <> 0 then first else B.compare b d
end

module Ints = Heap (Int)
module Down = Heap (Reverse (Int))
module Pairs = Heap (Pair (Int) (Reverse (String)))

let sort_with (type a) (module O : ORDER with type t = a) l =
  let module H = Heap (O) in
  H.sort l

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let check = ref 0 in
  for round = 1 to rounds do
    let l = List.init 1000 (fun i -> ((i + round) * 7919) mod 1009) in
    let up = Ints.sort l and down = Down.sort l in
    if up <> List.rev down then failwith "orders differ";
    let pairs = Pairs.sort (List.map (fun i -> (i mod 10, string_of_int i)) l) in
    let again = sort_with (module Int) l in
    check := (!check + List.nth up 500 + fst (List.hd pairs) + List.hd again) land 0xffffff
  done;
  Printf.printf "%d\n" !check
