(* open
comment