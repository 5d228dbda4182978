let unforced =
  let big = Bytes.create 300_000 in
  lazy (Bytes.length big)

let forced = lazy (Some (Array.make 2_000 'x'))

let () =
  ignore (Lazy.force forced);
  Printf.printf "expect lazy value|%d|1\n" (8 * Obj.reachable_words (Obj.repr unforced));
  let value = match Lazy.force forced with Some a -> a | None -> [||] in
  Printf.printf "expect block of 1025 to 2048|%d|1\n" (8 * Obj.reachable_words (Obj.repr value))
