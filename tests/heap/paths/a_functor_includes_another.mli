type session = { payload : bytes; id : int }
module type KEY = sig type t type u val name : string end
module Key : KEY with type t = session and type u = bytes
module Other : KEY with type t = bytes and type u = session
module Sealed (K : KEY) : sig type key = bytes * int type box val make : K.t -> box end
module Swapped (K : KEY) : sig type key = K.u type box val make : K.t -> box end
module Alias (K : KEY) : sig type key = K.t type box val make : K.t -> box end
val sealed : Sealed (Key).box
val swapped : Swapped (Key).box
val alias : Alias (Key).box
val alias2 : Alias (Other).box
