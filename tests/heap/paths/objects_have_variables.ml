(* Instance variables of objects, and the parameters of their classes, by their names. *)
class virtual base (tag : string) = object
  val mutable hidden = Bytes.create 200
  val mutable log = [Buffer.create 300]
  method virtual go : int
  method name = tag ^ "!"
  method grow = hidden <- Bytes.create 210; log <- Buffer.create 7 :: log
end
class sub tag = object
  inherit base tag
  val extra = Bytes.create 400
  method go = Bytes.length extra
end
class same tag = object inherit sub tag end
let sub = new sub (String.make 500 's')
let same = new same (String.make 510 't')

(* Objects without a class have the names of their methods' classes. *)
let make () = object
  inherit base (String.make 600 'm')
  val own = Bytes.create 610
  method go = Bytes.length own
end
let made = make ()
let immediate = object
  val mutable kept = Bytes.create 700
  method grow = kept <- Bytes.create 710
end
let nested (x : bytes) = object method inside = object val inner = x method size = Bytes.length inner end end
let inside = (nested (Bytes.create 800))#inside

(* Classes of modules, of functors, of functions. *)
module Inner = struct
  class c (n : bytes) = object val copy = Bytes.cat n n method clone = {< copy = n >} end
end
let inner = new Inner.c (Bytes.create 900)
let clone = inner#clone
module Make (X : sig type t val x : t end) = struct
  class made = object val held = X.x method held = held end
end
module Made = Make (struct type t = bytes let x = Bytes.create 1000 end)
let of_functor = new Made.made
let local (n : int) =
  let module M = struct class c = object val far = Bytes.create n method far = far end end in
  new M.c
let of_function = local 1100
class ['a] stack = object
  val mutable items : 'a list = []
  method push x = items <- x :: items
end
let stack = let s = new stack in s#push (Bytes.create 1200); s
class chain (n : int) = object
  val next = if n = 0 then None else Some (new chain (n - 1))
  val link = Bytes.create 1300
end
let chain = new chain 2
