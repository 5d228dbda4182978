(* Polymorphic variants: a block has a label, which is a number, and a value. *)
type session = { payload : bytes; id : int }
let session length = { payload = Bytes.create length; id = length }

type event = [ `Opened of session | `Closed of session * int | `None ]
type 'a tree = [ `Leaf of 'a | `Node of 'a tree * 'a tree | `Nil ]
type more = [ event | `Moved of session ref ]

let events : event list = [`Opened (session 1000); `None; `Closed (session 2000, 1)]
let tree : session tree = `Node (`Nil, `Node (`Leaf (session 3000), `Nil))
let more : more = `Moved (ref (session 4000))
let inherited : more option = Some (`Opened (session 5000))
let inferred = [`Text (session 6000); `Other [session 7000]]

(* What a function's match says of a variable. *)
let wait x =
  let length () = match x with `Text s -> s.id | `Gone | `Back -> 0 in
  length
let waiting = wait (`Text (session 8000))

(* Neither is one of `event`, although the first looks like one. *)
let label : int = Obj.magic `Opened
let pair = (label, session 9000)
let lie : event = Obj.magic (`Moved (session 10_000))
