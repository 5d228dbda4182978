(* Functors of several parameters, and of others: what they make is abstract. *)
type session = { payload : bytes; id : int }
type value = { content : bytes }
module type KEY = sig type t val compare : t -> t -> int end
module type VALUE = sig type t val size : t -> int end
module type TREE = sig type key type data type t val empty : t val add : t -> key -> data -> t end
module Make (K : KEY) (V : VALUE) = struct
  type key = K.t
  type data = V.t
  type t = Empty | Node of { left : t; key : key; data : data; right : t }
  let empty = Empty
  let rec add t key data = match t with
    | Empty -> Node { left = Empty; key; data; right = Empty }
    | Node n when K.compare key n.key < 0 -> Node { n with left = add n.left key data }
    | Node n -> Node { n with right = add n.right key data }
end
module Direct (K : KEY) (V : VALUE) = struct
  type t = Direct of K.t * V.t * int
  let make k v = Direct (k, v, V.size v)
end
module Key = struct type t = session let compare a b = compare a.id b.id end
module Value = struct type t = value let size v = Bytes.length v.content end
module Value_key = struct type t = value let compare = compare end
module Key_hash = struct type t = session let equal = ( = ) let hash s = s.id end
module Tree = Make (Key) (Value)
module Other = Make (Value_key) (Value)
module D = Direct (Key) (Value)
module Table = Hashtbl.Make (Key_hash)
let s n = { payload = Bytes.create n; id = n }
let v n = { content = Bytes.create n }
let tree = Tree.add (Tree.add Tree.empty (s 1000) (v 1010)) (s 1020) (v 1030)
let other = Other.add Other.empty (v 1200) (v 1210)
let direct = D.make (s 1300) (v 1310)
let table = let t = Table.create 3 in Table.replace t (s 1400) (v 1410); t
