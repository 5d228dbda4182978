(* What is abstract here has the fields of the implementation. *)
type t
type unknown
val first : t
module Inner : sig type t val second : t end
val fourth : unknown
