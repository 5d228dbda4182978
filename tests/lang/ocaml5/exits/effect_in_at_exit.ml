type _ Effect.t += Ask : int Effect.t
let () =
  at_exit (fun () -> print_endline "first registered");
  at_exit (fun () -> print_int (Effect.Deep.match_with (fun () -> Effect.perform Ask) () { retc = succ; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with Ask -> Some (fun (k : (a, int) Effect.Deep.continuation) -> Effect.Deep.continue k 41) | _ -> None) }); print_newline ());
  at_exit (fun () -> print_int (Effect.perform Ask));
  print_endline "main"
