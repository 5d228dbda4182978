(* Nothing: what is left is the start of the machine and its end. *)
