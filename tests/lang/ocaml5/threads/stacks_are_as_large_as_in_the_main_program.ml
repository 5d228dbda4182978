(* libs: -I +unix -I +threads unix.cma threads.cma *)
(* env: OCAMLRUNPARAM=l=6001 *)
let depth = ref 0
let rec one n = depth := n; 1 + one (n + 1)
let rec two a b = depth := a; 1 + two (a + 1) b
let rec four a b c d = depth := a; 1 + four (a + 1) b c d
let run f = (try ignore (f 0) with Stack_overflow -> ()); Printf.printf " %d" !depth
let all name = print_string name; run one; run (two 0); run (four 0 0 0); print_newline ()
let () =
  all "main";
  Thread.join (Thread.create all "thread");
  Domain.join (Domain.spawn (fun () ->
    all "domain"; Thread.join (Thread.create all "thread of a domain")));
  Gc.finalise (fun _ -> all "finaliser") (ref 1);
  Gc.full_major ()
