(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
type _ Effect.t += Ask : int * string -> int Effect.t
let () = at_exit (fun () -> print_endline "at exit")
let rec deeper n = if n = 0 then Effect.perform (Ask (3, "x")) else 1 + deeper (n - 1)
let _ = Effect.Deep.continue (* links the module *)
let () = print_int (deeper 3)
