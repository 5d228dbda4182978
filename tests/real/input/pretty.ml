(* A comment that stays. *)
open List

type ('a, 'b) t = A of 'a | B of 'b * int | C of { x : int; mutable y : string }

let rec f ?(opt = 1) ~lab x = match x with
  | A a when a > 0 -> let b = a + opt in b * lab
  | B (_, n) -> if n = 0 then 1 else f ~opt:(n - 1) ~lab (B ((), n - 1))
  | C { x; y } -> (try int_of_string y with Failure _ | Not_found -> x)
  | _ -> begin print_endline "other"; 0 end

and g = function [] -> [] | [ x ] -> [ x; x ] | x :: (_ :: _ as l) -> x :: g l

module M (X : sig type t val v : t end) : sig val w : X.t list end = struct
  let w = [ X.v; X.v ]
end

class virtual c x = object (self : 'self)
  inherit object method base = 1 end as super
  val mutable v = x
  method m y = v <- v + y; self#base + super#base
  method virtual n : int -> 'self
end

exception E of string * int
external id : 'a -> 'a = "%identity"

let () =
  for i = 1 to 10 do Printf.printf "%d %s\n" i (String.make i 'x') done;
  while false do () done;
  let a = [| 1; 2; 3 |] and s = "str\n\"quoted\"" in
  a.(0) <- String.length s;
  assert (a.(0) > 0 && not (s = "") || true)
