module Before = struct type t = { not_this : bytes; wrong : int } let f x = x.wrong end
type t = { text : bytes; length : int }
module Inner = struct
  type unrelated = { odd : int }
  let odd x = x.odd
  let second = (Bytes.create 2000, 5)
  type t = bytes * int
end
type unknown = Obj.t
let first =
  { text = Bytes.create 1000; length = Before.f { Before.not_this = Bytes.empty; wrong = 3 } }
let fourth = Obj.repr (Bytes.create 4000, 5)
let length t = t.length
