(* expect: what, bytes retained, blocks *)
let list = List.init 300_000 (fun i -> i)
let () = Printf.printf "expect block of 2|%d|%d\n" (8 * Obj.reachable_words (Obj.repr list)) 300_000
