(* Records, constructors, tuples, OCaml's own types, and those of the standard library. *)
type session = { id : int; payload : bytes; next : node }
and node = Nil | Link of { session : session; rest : node } | Pair of session * int | Last of session
type 'a nested = Nested of 'a * ('a * 'a) nested | Leaf
type 'a boxed = { inner : 'a } [@@unboxed]
type _ term = Text : bytes -> bytes term | Apply : ('a -> 'b) * 'a term -> 'b term
module Names = Map.Make (String)

let session length next = { id = 1; payload = Bytes.create length; next }
let chain = Link { session = session 1000 Nil; rest = Pair (session 2000 Nil, 3) }
let table = Hashtbl.create 16
let () = for i = 1 to 16 do Hashtbl.replace table i (session 3000 Nil) done
let names = ref Names.empty
let () = List.iter (fun key -> names := Names.add key (session 4000 Nil) !names) ["a"; "b"; "c"]
let some = Some (5, [| session 5000 Nil |])
let later = lazy (session 6000 Nil)
let () = ignore (Lazy.force later)
let rec nest : 'a. 'a -> int -> 'a nested = fun x n ->
  if n = 0 then Leaf else Nested (x, nest (x, x) (n - 1))
let nested = nest (session 7000 Nil) 30
let boxed = { inner = session 8000 Nil }
let term = Apply (Bytes.length, Text (Bytes.create 9000))
let queue = Queue.create ()
let () = Queue.add (session 10000 (Last (session 11000 Nil))) queue
