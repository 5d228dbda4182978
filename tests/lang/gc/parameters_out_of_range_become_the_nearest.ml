(* env: OCAMLRUNPARAM=s=0,o=0,M=0,m=0,w=70,a=7,l=010k,n=0x20,i=007 *)
let () =
  let g = Gc.get () in
  Printf.printf "%d %d %d %d %d %d %d %d %d\n" g.Gc.minor_heap_size g.space_overhead
    g.custom_major_ratio g.custom_minor_ratio g.window_size g.allocation_policy g.stack_limit
    g.custom_minor_max_size g.major_heap_increment
