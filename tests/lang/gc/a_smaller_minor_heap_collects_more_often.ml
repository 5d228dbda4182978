(* stress: no: counts minor collections *)
let allocate () = for i = 1 to 200_000 do ignore (Sys.opaque_identity (ref i)) done
let minors f =
  let before = (Gc.quick_stat ()).Gc.minor_collections in
  f ();
  (Gc.quick_stat ()).Gc.minor_collections - before

let () =
  let initial = Gc.get () in
  let many = (Gc.set { initial with Gc.minor_heap_size = 4096 }; minors allocate) in
  let few = (Gc.set { initial with Gc.minor_heap_size = 1_000_000 }; minors allocate) in
  Printf.printf "%b %d\n" (many >= 90 && many <= 110) few
