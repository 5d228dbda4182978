external length : string -> int = "caml_ml_string_length"
type t = { name : string; data : float array }
exception Unknown of string
let limit = 30
module Inner = struct
  type t = int
  let table = Array.init 40 (fun i -> Some i)
end
module Alias = Inner
let record = { name = String.make 100 'x'; data = Array.make 200 1.5 }
