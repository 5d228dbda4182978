(** Shapes with an area. *)
type t = Circle of float | Rectangle of { w : float; h : float } | Group of t list

exception Negative of string * float

val area : t -> float
val make_circle : float -> t
val to_string : t -> string

module type SCALE = sig val factor : float end
module Scaled (_ : SCALE) : sig val scale : t -> t end

class counter : object
  method count : int
  method see : t -> unit
end
