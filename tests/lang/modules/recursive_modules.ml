module rec Tree : sig
  type t = Leaf of string | Node of Forest.t
  val to_string : t -> string
  val size : t -> int
end = struct
  type t = Leaf of string | Node of Forest.t
  let to_string = function Leaf s -> s | Node f -> "(" ^ Forest.to_string f ^ ")"
  let size = function Leaf _ -> 1 | Node f -> 1 + Forest.size f
end
and Forest : sig
  type t = Tree.t list
  val to_string : t -> string
  val size : t -> int
end = struct
  type t = Tree.t list
  let to_string f = String.concat " " (List.map Tree.to_string f)
  let size f = List.fold_left (fun n t -> n + Tree.size t) 0 f
end

module rec A : sig type t val compare : t -> t -> int val leaf : int -> t val node : ASet.t -> t
    val count : t -> int end = struct
  type t = Leaf of int | Node of ASet.t
  let compare a b = match a, b with
    | Leaf x, Leaf y -> Stdlib.compare x y
    | Leaf _, Node _ -> -1
    | Node _, Leaf _ -> 1
    | Node s, Node t -> ASet.compare s t
  let leaf n = Leaf n
  let node s = Node s
  let count = function Leaf _ -> 1 | Node s -> ASet.fold (fun x n -> n + A.count x) s 0
end
and ASet : Set.S with type elt = A.t = Set.Make (A)

module rec Even : sig val f : int -> bool class c : object method m : int -> string end end = struct
  let f n = n = 0 || Odd.f (n - 1)
  class c = object method m n = if n = 0 then "even" else (new Odd.c)#m (n - 1) end
end
and Odd : sig val f : int -> bool class c : object method m : int -> string end end = struct
  let f n = n <> 0 && Even.f (n - 1)
  class c = object method m n = if n = 0 then "odd" else (new Even.c)#m (n - 1) end
end

let () =
  let t = Tree.(Node [ Leaf "a"; Node [ Leaf "b"; Leaf "c" ]; Node [] ]) in
  Printf.printf "%s %d\n" (Tree.to_string t) (Tree.size t);
  let s = ASet.of_list [ A.leaf 2; A.leaf 1; A.node (ASet.of_list [ A.leaf 1; A.leaf 3 ]);
      A.leaf 2 ] in
  Printf.printf "%d %d\n" (ASet.cardinal s) (A.count (A.node s));
  Printf.printf "%b %b %s %s\n" (Even.f 1001) (Odd.f 1001) ((new Even.c)#m 10) ((new Odd.c)#m 10)
