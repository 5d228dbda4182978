(* Deep recursion: the Ackermann function. *)
let rec ack m n =
  if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))

let () =
  let rounds = int_of_string Sys.argv.(1) in
  for _ = 2 to rounds do
    ignore (ack 3 7)
  done;
  Printf.printf "%d\n" (ack 3 7)
