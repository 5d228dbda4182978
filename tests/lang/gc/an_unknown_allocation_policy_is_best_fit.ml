(* Gc.set of a policy that does not exist chooses the default, whatever the policy was before; -1
   keeps the policy. *)
let policy n =
  Gc.set { (Gc.get ()) with allocation_policy = n };
  (Gc.get ()).allocation_policy

let () =
  List.iter
    (fun n -> Printf.printf "%d: %d\n" n (policy n))
    [ 1; 9; 0; -1; 2; 3; 1; -1; max_int; 0; min_int; 1; -2 ]
