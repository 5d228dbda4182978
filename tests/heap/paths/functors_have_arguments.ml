(* Types that a functor's result hides, or that its argument has. *)
type session = { payload : bytes; id : int }
let session length = { payload = Bytes.create length; id = length }
module Key = struct
  type t = session
  let compare a b = compare a.id b.id
  let equal a b = a.id = b.id
  let hash a = a.id
end
module Sessions = Set.Make (Key)
module By_session = Map.Make (Key)
module Strings = Set.Make (struct type t = string let compare = compare end)
module Table = Hashtbl.Make (Key)
let sessions = ref (Sessions.of_list [session 1000; session 1100])
let by_session = Some (By_session.singleton (session 2000) (session 3000))
let strings = Strings.singleton (String.make 4000 'x')
let table = Table.create 16
let () = Table.replace table (session 5001) (session 6000)

(* The result of a functor of a program, which has two parameters. *)
module type VALUE = sig type t = { content : bytes } end
module Make (K : Set.OrderedType) (V : VALUE) = struct
  type t = Leaf | Node of { left : t; key : K.t; value : V.t }
  let add left key value = Node { left; key; value }
  let wait (value : V.t) = fun () -> Bytes.length value.V.content
end
module Value = struct type t = { content : bytes } end
module Tree = Make (Key) (Value)
let value length = { Value.content = Bytes.create length }
let tree = Tree.add Tree.Leaf (session 7000) (value 8000)
let direct : Make (Key) (Value).t = Tree.add Tree.Leaf (session 9000) (value 10_000)
let wait = Tree.wait (value 11_000)

(* Each application has an argument of its own. *)
module Box (X : sig type t end) = struct type t = Box of X.t * int let make x = Box (x, 1) end
module Boxed_session = Box (struct type t = session end)
module Box_value = Box (Value)
module Box_box = Box (Box_value)
let boxed = [Boxed_session.make (session 12_000)]
let twice = Box_box.make (Box_value.make (value 13_000))
