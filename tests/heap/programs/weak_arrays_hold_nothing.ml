type holder = { a : int; b : int; c : int; d : int; e : int; mutable data : bytes }
let holder = { a = 1; b = 2; c = 3; d = 4; e = 5; data = Bytes.create 500_000 }
let weak = Weak.create 10

let () =
  Weak.set weak 0 (Some holder.data);
  Weak.set weak 1 (Some (Bytes.create 200_000));
  Printf.printf "expect block of 6|%d|1\n" (8 * Obj.reachable_words (Obj.repr holder))
