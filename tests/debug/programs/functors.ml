module type ORDERED = sig
  type t
  val compare : t -> t -> int
end

module Stack_of (X : ORDERED) = struct
  type t = X.t list
  let empty : t = []
  let push x (s : t) : t = x :: s
  let top = function
    | [] -> raise Not_found
    | x :: rest -> List.fold_left (fun m y -> if X.compare m y < 0 then y else m) x rest
end

module Ints = Stack_of (struct type t = int let compare = Stdlib.compare end)
module Strings = Stack_of (String)

module Inner = struct
  module Deep = struct
    let secret = 42
    let scale k = k * secret
  end
  let twice x = Deep.scale x + Deep.scale x
end

let () =
  let s = Ints.push 4 (Ints.push 9 (Ints.push 2 Ints.empty)) in
  Printf.printf "%d\n" (Ints.top s);
  let t = Strings.push "pear" (Strings.push "apple" Strings.empty) in
  Printf.printf "%s\n" (Strings.top t);
  Printf.printf "%d\n%!" (Inner.twice 2);
  print_endline (try Strings.top Strings.empty with Not_found -> "empty")
