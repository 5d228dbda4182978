let f () =
  let exception Local of int * int in
  raise (Local (1, 2))
let () = f ()
