(* The fields of the module are in this order. *)
val count : int
val shown : char array * char array
val last : char array
