(* A deep handler stays around the resumed computation. *)
open Effect.Deep
type _ Effect.t += Get : int Effect.t | Put : int -> unit Effect.t
let run_state (init : int) f =
  let state = ref init in
  match_with f ()
    { retc = (fun x -> (x, !state));
      exnc = raise;
      effc = (fun (type a) (e : a Effect.t) -> match e with
        | Get -> Some (fun (k : (a, _) continuation) -> continue k !state)
        | Put n -> Some (fun (k : (a, _) continuation) -> state := n; continue k ())
        | _ -> None) }
let run_pure (init : int) f =
  (match_with f ()
    { retc = (fun x s -> (x, s));
      exnc = raise;
      effc = (fun (type a) (e : a Effect.t) -> match e with
        | Get -> Some (fun (k : (a, _) continuation) (s : int) -> continue k s s)
        | Put n -> Some (fun (k : (a, _) continuation) _ -> continue k () n)
        | _ -> None) }) init
let collatz () =
  let steps = ref 0 in
  while Effect.perform Get <> 1 do
    let n = Effect.perform Get in
    Effect.perform (Put (if n land 1 = 0 then n / 2 else (3 * n) + 1));
    incr steps
  done;
  !steps
let () =
  List.iter (fun n ->
    let steps, last = run_state n collatz in
    let steps', last' = run_pure n collatz in
    Printf.printf "%d: %d steps, %d; %d steps, %d\n" n steps last steps' last')
    [1; 2; 7; 27; 97; 871; 6171]
