(* effects NAME N: does one operation of effects or domains N times. *)
open Effect
open Effect.Deep

type _ Effect.t += Ask : int -> int t | Pause : unit t

let answering f =
  match_with f ()
    { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a t) ->
        match e with
        | Ask x -> Some (fun (k : (a, _) continuation) -> continue k (x + 1))
        | _ -> None }

let rec ask n = if n > 0 then (ignore (perform (Ask n)); ask (n - 1))

let rec at_depth depth f = if depth = 0 then f () else 1 + at_depth (depth - 1) f

let passing f =
  match_with f () { retc = Fun.id; exnc = raise; effc = fun _ -> None }

let rec inside handlers f = if handlers = 0 then f () else passing (fun () -> inside (handlers - 1) f)

let suspend (kept : (unit, unit) continuation -> unit) f =
  match_with f ()
    { retc = ignore; exnc = raise;
      effc = fun (type a) (e : a t) ->
        match e with
        | Pause -> Some (fun (k : (a, unit) continuation) -> kept k)
        | _ -> None }

let generator n =
  let next = ref (fun () -> ()) and seen = ref 0 in
  next := (fun () ->
    suspend (fun k -> incr seen; next := continue k)
      (fun () -> while true do perform Pause done));
  for _ = 1 to n do !next () done

let scheduler fibers n =
  let ready = Queue.create () and left = ref n in
  for _ = 1 to fibers do
    suspend (fun k -> Queue.push k ready)
      (fun () -> while !left > 0 do decr left; perform Pause done)
  done;
  while not (Queue.is_empty ready) do
    let k = Queue.pop ready in
    match_with (continue k) ()
      { retc = ignore; exnc = raise; effc = fun _ -> None }
  done

let suspended keep n =
  let kept = ref [] in
  for i = 1 to n do
    suspend (fun k -> if keep then kept := k :: !kept)
      (fun () -> perform Pause; ignore (Sys.opaque_identity i))
  done;
  ignore (Sys.opaque_identity !kept)

let spawn n = for _ = 1 to n do Domain.join (Domain.spawn ignore) done

let handover n =
  let turn = Atomic.make 0 in
  let player me () =
    for _ = 1 to n / 2 do
      while Atomic.get turn <> me do () done;
      Atomic.set turn (1 - me)
    done in
  let other = Domain.spawn (player 1) in
  player 0 (); Domain.join other

let lock n =
  let m = Mutex.create () in
  for _ = 1 to n do Mutex.lock m; Mutex.unlock m done

let count n =
  let a = Atomic.make 0 in
  for _ = 1 to n do Atomic.incr a done

let local n =
  let key = Domain.DLS.new_key (fun () -> 1) in
  for _ = 1 to n do ignore (Sys.opaque_identity (Domain.DLS.get key)) done

let () =
  let n = int_of_string Sys.argv.(2) in
  match Sys.argv.(1) with
  | "loop" -> for i = 1 to n do ignore (Sys.opaque_identity i) done
  | "perform" -> answering (fun () -> ask n)
  | "deep" -> answering (fun () -> ignore (at_depth 10_000 (fun () -> ask n; 0)))
  | "match_with" -> for i = 1 to n do ignore (passing (fun () -> i)) done
  | "raise" -> for _ = 1 to n do try passing (fun () -> raise Exit) with Exit -> () done
  | "generator" -> generator n
  | "reperform" -> answering (fun () -> inside 100 (fun () -> ask n))
  | "scheduler" -> scheduler 10_000 n
  | "live" -> suspended true n
  | "dropped" -> suspended false n
  | "spawn" -> spawn n
  | "handover" -> handover n
  | "lock" -> lock n
  | "count" -> count n
  | "local" -> local n
  | name -> failwith name
