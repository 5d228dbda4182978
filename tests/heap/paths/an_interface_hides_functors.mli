type session = { payload : bytes; id : int }
type value = { content : bytes }
module type KEY = sig type t val compare : t -> t -> int end
module type VALUE = sig type t val size : t -> int end
module type TREE = sig
  type key
  type data
  type t
  val empty : t
  val add : t -> key -> data -> t
end
module Make (K : KEY) (V : VALUE) : TREE with type key = K.t and type data = V.t
module Direct (K : KEY) (V : VALUE) : sig type t val make : K.t -> V.t -> t end
module Key : KEY with type t = session
module Value : VALUE with type t = value
module Value_key : KEY with type t = value
module Key_hash : Hashtbl.HashedType with type t = session
module Tree : sig type t = Make (Key) (Value).t end
val tree : Make (Key) (Value).t
val other : Make (Value_key) (Value).t
val direct : Direct (Key) (Value).t
val table : value Hashtbl.Make (Key_hash).t
