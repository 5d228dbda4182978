let captured = Bytes.create 150_000
type watched = { a : int; b : int; c : int; d : int; data : bytes }
let watched = ref [ { a = 1; b = 2; c = 3; d = 4; data = Bytes.create 250_000 } ]

let () =
  let big = Bytes.make 350_000 'x' in
  Gc.finalise (fun _ -> ignore (Bytes.length big)) (List.hd !watched);
  Printf.printf "expect block of 5|%d|1\n" (8 * Obj.reachable_words (Obj.repr (List.hd !watched)));
  Printf.printf "expect finaliser|%d|0\n" (8 * (Obj.reachable_words (Obj.repr big) + 4))
