type shape = Circle of float | Square of float
let area = function Circle r -> Float.pi *. r *. r | Square a -> a *. a
let name = function Circle _ -> "circle" | Square _ -> "square"
let seen = ref [] (* its type is known where it is used *)
