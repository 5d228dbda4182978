(* env: OCAMLRUNPARAM=s=32k,o=150,l=64k,O=300 *)
let () =
  let g = Gc.get () in
  Printf.printf "%d %d %d %d\n" g.Gc.minor_heap_size g.space_overhead g.stack_limit g.max_overhead
