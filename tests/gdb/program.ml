type shape = Square of int * string | Unit

let rec deep n shape =
  if n = 0 then String.length (try Sys.getenv "BACTRIAN_GDB" with Not_found -> "none")
  else 1 + deep (n - 1) shape

let () =
  print_int (deep 2 (Square (42, "hello")));
  print_newline ()

let kept = ref []
let keep l = kept := l
let () = Gc.full_major (); keep [1]
