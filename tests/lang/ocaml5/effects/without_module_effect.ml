(* Nothing of module Effect is linked: an unhandled effect ends the program at once. *)
type _ Effect.t += E : int Effect.t
let () =
  at_exit (fun () -> print_endline "not printed");
  print_endline "before";
  flush stdout;
  match Effect.perform E with
  | n -> Printf.printf "%d\n" n
  | exception _ -> print_endline "not caught"
