type shape = Square of int * string | Unit

let rec deep n shape =
  if n = 0 then String.length (try Sys.getenv "BACTRIAN_GDB" with Not_found -> "none")
  else 1 + deep (n - 1) shape

let () =
  print_int (deep 2 (Square (42, "hello")));
  print_newline ()

(* More young blocks in old ones than the collector's set has room for at first. *)
let kept = Array.make 2000 []
let keep i l = kept.(i) <- l
let () = Gc.full_major (); for i = 0 to 1999 do keep i [i] done
