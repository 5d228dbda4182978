(* Exceptions, and constructors of other extensible types: what a constructor has made leads to its
   own block, which is a field of its module or a variable. *)
type session = { payload : bytes; id : int }
let session length = { payload = Bytes.create length; id = length }

exception Full of int * session
exception Closed of { last : session; code : int }
exception Empty
type message = ..
module Parser = struct
  exception Error of session
  type message += Token of session | End
  type 'a query = ..
  type _ query += Get : 'a * session -> 'a query
end
type pair = { left : exn; right : exn }

let full = ref (Full (3, session 1000))
let closed = [Closed { last = session 2000; code = 3 }; Empty]
let pair = { left = Failure (String.make 3000 'x'); right = Not_found }
let nested : (int, exn) result = Error (Parser.Error (session 4000))
let message = Some (Parser.Token (session 5000))
let query = Parser.Get ('c', session 6000)

(* A local exception is a variable of the closures that use it. *)
let local =
  let exception Local of session in
  let stop x = raise (Local x) in
  let made = Local (session 7000) in
  fun x -> if x > 0 then stop (session x) else made

(* Each use of a functor has constructors of its own. *)
module Make (X : sig val length : int end) = struct
  exception Used of session
  let made = Used (session X.length)
end
module One = Make (struct let length = 8000 end)
let one = ref One.made

(* A pair of a constructor without arguments and something else is not an exception. *)
let tuple = (Empty, session 9000)
let unknown = Obj.repr (Full (3, session 10_000))
