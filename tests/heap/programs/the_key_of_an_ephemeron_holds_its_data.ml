module E = Ephemeron.K1
type key = { a : int; b : int; c : int; d : int; e : int; f : int; g : int }
let key = { a = 1; b = 2; c = 3; d = 4; e = 5; f = 6; g = 7 }
let cache : (key, bytes) E.t = E.create ()

let () =
  E.set_key cache key;
  E.set_data cache (Bytes.create 400_000);
  let data = match E.get_data cache with Some b -> b | None -> Bytes.empty in
  let words = Obj.reachable_words (Obj.repr data) + Obj.reachable_words (Obj.repr key) in
  Printf.printf "expect block of 7|%d|1\n" (8 * words)
