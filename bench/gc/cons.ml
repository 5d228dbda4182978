(* Lists that stay: the cost of a cons cell from its allocation to its place in the major heap. *)
let rec build n list = if n = 0 then list else build (n - 1) (n :: list)

let () =
  let n = int_of_string Sys.argv.(1) in
  let kept = ref [] in
  let start = Sys.time () in
  for _ = 1 to 5 do
    kept := build n []
  done;
  Printf.printf "cons %.2f\n" ((Sys.time () -. start) *. 1e9 /. float (5 * n));
  assert (List.length !kept = n)
