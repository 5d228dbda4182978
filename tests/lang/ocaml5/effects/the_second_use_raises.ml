(* The second use of a continuation raises, by continue, discontinue, or shallow. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with
  | n -> say "%s: %d" name n
  | exception e -> say "%s: %s" name (Printexc.to_string e)
let handle f (use : (int, int) continuation -> int) =
  match_with f () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask -> Some (fun (k : (a, int) continuation) -> use k) | _ -> None) }
let () =
  show "once" (fun () -> handle (fun () -> Effect.perform Ask + 1) (fun k -> continue k 1));
  show "twice" (fun () -> handle (fun () -> Effect.perform Ask + 1) (fun k -> continue k 1 + continue k 2));
  show "the second is caught" (fun () -> handle (fun () -> Effect.perform Ask)
    (fun k -> let a = continue k 1 in
      try continue k 2 with Effect.Continuation_already_resumed -> a + 100));
  show "discontinue after continue" (fun () -> handle (fun () -> Effect.perform Ask)
    (fun k -> let a = continue k 1 in a + discontinue k Exit));
  show "continue after discontinue" (fun () -> handle (fun () -> Effect.perform Ask)
    (fun k -> match discontinue k Exit with n -> n | exception Exit -> continue k 3));
  let kept = ref None in
  show "kept" (fun () -> handle (fun () -> Effect.perform Ask * 2) (fun k -> kept := Some k; 0));
  let k = Option.get !kept in
  show "used later" (fun () -> continue k 21);
  for i = 1 to 3 do show "and again" (fun () -> continue k i) done;
  let inside = ref None in
  show "used by itself" (fun () ->
    handle (fun () -> let n = Effect.perform Ask in n + continue (Option.get !inside) 5)
      (fun k -> inside := Some k; continue k 1));
  let open Effect.Shallow in
  let rec handler = { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask -> Some (fun (k : (a, int) continuation) ->
          let a = continue_with k 1 handler in
          a + (try continue_with k 2 handler with Effect.Continuation_already_resumed -> 1000))
      | _ -> None) } in
  show "shallow" (fun () -> continue_with (fiber (fun () -> Effect.perform Ask + 10)) () handler)
