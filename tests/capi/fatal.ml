(* The end of the process that a library asks for. *)
external fatal : unit -> unit = "t_fatal"

let () = print_endline "before"; fatal ()
