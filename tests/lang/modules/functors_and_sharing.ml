module type ORD = sig type t val compare : t -> t -> int end
module type HEAP = sig
  type elt
  type t
  val empty : t
  val insert : elt -> t -> t
  val pop : t -> (elt * t) option
end

module Heap (O : ORD) : HEAP with type elt = O.t = struct
  type elt = O.t
  type t = E | N of int * elt * t * t
  let empty = E
  let rank = function E -> 0 | N (r, _, _, _) -> r
  let make x a b = if rank a >= rank b then N (rank b + 1, x, a, b) else N (rank a + 1, x, b, a)
  let rec merge a b = match a, b with
    | h, E | E, h -> h
    | N (_, x, l, r), N (_, y, l', r') ->
      if O.compare x y <= 0 then make x l (merge r b) else make y l' (merge a r')
  let insert x h = merge (N (1, x, E, E)) h
  let pop = function E -> None | N (_, x, a, b) -> Some (x, merge a b)
end

module Rev (O : ORD) = struct type t = O.t let compare a b = O.compare b a end
module H = Heap (Int)
module R = Heap (Rev (String))

let rec drain pop h acc = match pop h with None -> List.rev acc | Some (x,
    h) -> drain pop h (x :: acc)

let () =
  let h = List.fold_left (fun h x -> H.insert x h) H.empty [ 5; 2; 8; 1; 9; 3; 2 ] in
  print_endline (String.concat " " (List.map string_of_int (drain H.pop h [])));
  let r = List.fold_left (fun h x -> R.insert x h) R.empty [ "b"; "c"; "a"; "ab" ] in
  print_endline (String.concat " " (drain R.pop r []));
  let big = List.fold_left (fun h i -> H.insert (i * 7919 mod 10007) h) H.empty (List.init 3000
      Fun.id) in
  Printf.printf "%d\n" (Hashtbl.hash_param 100 100 (drain H.pop big []))
