(* What the interface says of a type holds for the included body if both say the same. *)
type session = { payload : bytes; id : int }
module type KEY = sig type t type u val name : string end
module Key = struct type t = session type u = bytes let name = "key" end
module Other = struct type t = bytes type u = session let name = "other" end
module Impl (H : KEY) = struct
  type key = H.t
  type box = Impl of key * int
  let make k = Impl (k, String.length H.name)
end
module Sealed (K : KEY) = struct
  include (Impl (K) : sig type box val make : K.t -> box end)
  type key = bytes * int
end
module Swapped (K : KEY) = struct
  include (Impl (K) : sig type box val make : K.t -> box end)
  type key = K.u
end
module Alias (K : KEY) : sig type key = K.t type box val make : K.t -> box end = Impl (K)
let s n = { payload = Bytes.create n; id = n }
module S = Sealed (Key)
module W = Swapped (Key)
module A = Alias (Key)
module A2 = Alias (Other)
let sealed = S.make (s 1000)
let swapped = W.make (s 1100)
let alias = A.make (s 1200)
let alias2 = A2.make (Bytes.create 1300)
