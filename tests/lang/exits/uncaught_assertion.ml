let check n =
  assert (n > 0);
  assert (n > 1)
let () = check (Array.length Sys.argv)
