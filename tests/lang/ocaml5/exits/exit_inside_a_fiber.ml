open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let h : (int, int) handler = { retc = (fun n -> print_endline "retc"; n); exnc = (fun e -> print_endline ("exnc " ^ Printexc.to_string e); raise e); effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask -> Some (fun (k : (a, int) continuation) -> print_endline "asked"; ignore (continue k 1); exit 4) | _ -> None) }
let () =
  at_exit (fun () -> print_endline "at exit");
  ignore (match_with (fun () -> let n = Effect.perform Ask in Fun.protect ~finally:(fun () -> print_endline "finally") (fun () -> if n = 1 then exit 5 else n)) () h)
