(* Functions of at_exit that run after an uncaught exception have no handler of the program around them, but may
   install their own. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let handle f = match_with f () { retc = Fun.id; exnc = raise;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Ask -> Some (fun (k : (a, _) continuation) -> continue k 41) | _ -> None) }
let () =
  at_exit (fun () -> print_endline "first registered");
  at_exit (fun () -> Printf.printf "own handler: %d\n" (handle (fun () -> 1 + Effect.perform Ask)));
  at_exit (fun () -> match Effect.perform Ask with n -> print_int n | exception e -> print_endline (Printexc.to_string e));
  ignore (handle (fun () -> if Effect.perform Ask = 41 then failwith "uncaught" else 0))
