let f x =
  match x with
  | 1 -> "one"
  | -> "what"
