type shared = { a : int; b : int; c : int; d : int; e : int; f : int; g : int }
let shared = Array.init 5000 (fun i -> { a = i; b = i; c = i; d = i; e = i; f = i; g = i })

(* Two records of different sizes hold it; each of them alone holds only itself. *)
let first = Array.make 40 shared
let second = Array.make 100 shared

let () =
  let own array = 8 * (1 + Array.length array) in
  Printf.printf "expect block of 33 to 64|%d|1\n" (own first);
  Printf.printf "expect block of 65 to 128|%d|1\n" (own second);
  Printf.printf "expect block of 4097 to 8192|%d|1\n" (8 * Obj.reachable_words (Obj.repr shared))
