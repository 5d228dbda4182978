(* env: OCAMLRUNPARAM=l=100k *)
(* Caught inside, outside, by exnc; the fiber and its parent go on. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
let run ?(exnc = raise) f = match_with f () { retc = Fun.id; exnc; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask n -> Some (fun (k : (a, int) continuation) -> continue k (n + 1)) | _ -> None) }
let big = 100_000_000
let () =
  say "inside %d" (run (fun () -> try deep big with Stack_overflow -> 1));
  say "outside %d" (try run (fun () -> deep big) with Stack_overflow -> 2);
  say "exnc %d" (run ~exnc:(fun e -> if e = Stack_overflow then 3 else 4) (fun () -> deep big));
  say "then performs %d" (run (fun () -> let n = try deep big with Stack_overflow -> 10 in n + Effect.perform (Ask n)));
  say "after a switch %d" (run (fun () -> let n = Effect.perform (Ask 1) in try n + deep big with Stack_overflow -> Effect.perform (Ask 20)));
  say "in the handler %d" (match_with (fun () -> Effect.perform (Ask 5)) () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask n -> Some (fun (k : (a, int) continuation) -> let v = try deep big with Stack_overflow -> 30 in continue k (v + n)) | _ -> None) });
  say "small ones still work %d" (run (fun () -> deep 1000 + Effect.perform (Ask 1)))
