(* Effects and exceptions of the three handlers belong to the handlers around them. *)
open Effect.Deep
type _ Effect.t += Inner : int -> int Effect.t | Outer : string -> int Effect.t
exception Boom of string
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with
  | n -> say "%s: %d" name n
  | exception e -> say "%s: %s" name (Printexc.to_string e)
let outer f = match_with f ()
  { retc = (fun n -> say "outer retc"; n);
    exnc = (fun e -> say "outer exnc %s" (Printexc.to_string e); -1);
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Outer s -> Some (fun (k : (a, int) continuation) -> say "outer got %s" s; continue k (String.length s))
      | _ -> None) }
let inner ?(retc = Fun.id) ?(exnc = raise) ?(answer = fun (k : (int, int) continuation) n -> continue k n) f = match_with f ()
  { retc; exnc; effc = (fun (type a) (e : a Effect.t) -> match e with
      | Inner n -> Some (fun (k : (a, int) continuation) -> answer k n)
      | _ -> None) }
let () =
  show "retc performs" (fun () -> outer (fun () -> inner ~retc:(fun n -> n + Effect.perform (Outer "retc")) (fun () -> 100)));
  show "exnc performs" (fun () -> outer (fun () ->
    inner ~exnc:(fun _ -> Effect.perform (Outer "exnc")) (fun () -> raise (Boom "x"))));
  show "the answer performs" (fun () -> outer (fun () ->
    inner ~answer:(fun k n -> continue k (n + Effect.perform (Outer "answer"))) (fun () -> 1000 * Effect.perform (Inner 1))));
  show "retc raises" (fun () -> outer (fun () -> inner ~retc:(fun _ -> raise (Boom "retc")) (fun () -> 1)));
  show "retc raises past its own exnc" (fun () -> outer (fun () ->
    inner ~retc:(fun _ -> raise (Boom "retc")) ~exnc:(fun _ -> say "never"; 0) (fun () -> 1)));
  show "exnc raises" (fun () -> outer (fun () -> inner ~exnc:(fun _ -> raise (Boom "exnc")) (fun () -> failwith "first")));
  show "the answer raises" (fun () -> outer (fun () ->
    inner ~answer:(fun _ _ -> raise (Boom "answer")) (fun () -> try Effect.perform (Inner 1) with Boom _ -> say "never"; 0)));
  show "inner again from the answer" (fun () -> outer (fun () ->
    inner ~answer:(fun k n -> if n > 3 then continue k n else continue k (Effect.perform (Inner (n + 1)))) (fun () -> Effect.perform (Inner 1))))
