class counter data = object
  val mutable n = 0
  method data : bytes = data
  method next = n <- n + 1; n
end

let counter = new counter (Bytes.create 123_456)

(* Two functions of one closure block; only the second is kept. *)
let second =
  let text = Bytes.create 234_567 in
  let rec even n = n = 0 || odd (n - 1)
  and odd n = Bytes.length text > n && (n = 1 || even (n - 1)) in
  odd

let () =
  ignore (counter#next, second 3);
  (* The class has the table of its methods, which the object alone does not hold. *)
  let object_words = 1 + Obj.size (Obj.repr counter) in
  let words = object_words + Obj.reachable_words (Obj.repr counter#data) in
  Printf.printf "expect object|%d|1\n" (8 * words);
  Printf.printf "expect closure of Objects_and_recursive_functions.*|%d|1\n"
    (8 * Obj.reachable_words (Obj.repr second))
