let () = print_endline "plugin one starts"
type _ Effect.t += Ask : int Effect.t
let value = Effect.Deep.match_with (fun () -> Effect.perform Ask + 1) () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with Ask -> Some (fun (k : (a, int) Effect.Deep.continuation) -> Effect.Deep.continue k 41) | _ -> None) }
let () = Printf.printf "plugin one computes %d\n%!" value
