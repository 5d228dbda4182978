(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let use (k : (int, int) continuation) = let a = continue k 1 in a + continue k 2
let () =
  print_int (match_with (fun () -> Effect.perform Ask) () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with Ask -> Some (fun (k : (a, int) continuation) -> use k) | _ -> None) })
