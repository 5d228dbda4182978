(* Calls of three arguments: Takeuchi's function, and its closure-passing variant. *)
let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)

let rec takc x y z k =
  if y >= x then k z
  else
    takc (x - 1) y z (fun a ->
        takc (y - 1) z x (fun b -> takc (z - 1) x y (fun c -> takc a b c k)))

let () =
  let n = int_of_string Sys.argv.(1) in
  let total = ref 0 in
  for i = 1 to n do
    total := !total + tak 18 12 (6 + (i land 1)) + takc 18 12 (6 + (i land 1)) (fun v -> v)
  done;
  Printf.printf "%d\n" !total
