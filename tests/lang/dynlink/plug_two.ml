exception Local of int
let shared = ref 5
let () =
  Plug_registry.register "sum" (fun n -> n + !shared);
  Plug_registry.register "raises" (fun n -> try raise (Local n) with Local m -> m * 2)
