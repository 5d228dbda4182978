let make n =
  let captured = Bytes.create n in
  fun i -> Bytes.get captured i

let callback = ref (make 1_000_000)

let () =
  Printf.printf "expect closure of A_closure_holds_what_it_captured.make.(fun) (*)|%d|1\n"
    (8 * Obj.reachable_words (Obj.repr !callback))
