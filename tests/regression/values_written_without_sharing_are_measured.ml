(* What Marshal wrote with No_sharing is counted once by Obj.reachable_words (#10853): ocamlrun 4.13.1
   counts it as often as it was written. *)
let () =
  let shared = [ 1; 2; 3 ] in
  let v = Array.make 10 shared in
  let before = Obj.reachable_words (Obj.repr v) in
  let size = String.length (Marshal.to_string v [ Marshal.No_sharing ]) in
  Printf.printf "%d %d %d\n" before (Obj.reachable_words (Obj.repr v)) size;
  Printf.printf "%d\n" (Obj.reachable_words (Obj.repr (Marshal.from_string (Marshal.to_string v []) 0 : int list array)))
