type t = Circle of float | Rectangle of { w : float; h : float } | Group of t list

exception Negative of string * float

let rec area = function
  | Circle r -> 3.14159 *. r *. r
  | Rectangle { w; h } -> w *. h
  | Group l -> List.fold_left (fun sum s -> sum +. area s) 0.0 l

let make_circle r = if r < 0.0 then raise (Negative ("radius", r)) else Circle r

let rec to_string = function
  | Circle r -> Printf.sprintf "circle %g" r
  | Rectangle { w; h } -> Printf.sprintf "rectangle %gx%g" w h
  | Group l -> "[" ^ String.concat "; " (List.map to_string l) ^ "]"

module type SCALE = sig val factor : float end

module Scaled (S : SCALE) = struct
  let rec scale = function
    | Circle r -> Circle (r *. S.factor)
    | Rectangle { w; h } -> Rectangle { w = w *. S.factor; h = h *. S.factor }
    | Group l -> Group (List.map scale l)
end

class counter = object (self)
  val mutable count = 0
  method count = count
  method see s =
    match s with
    | Group l -> List.iter self#see l
    | Circle _ | Rectangle _ -> count <- count + 1
end
