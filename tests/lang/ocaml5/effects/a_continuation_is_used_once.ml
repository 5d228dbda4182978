open Effect
open Effect.Deep

type _ Effect.t += E : int t

let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n" name n
  | exception e -> Printf.printf "%s raised %s\n" name (Printexc.to_string e)

let capture f =
  let kept = ref None in
  let r = match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E -> Some (fun (k : (a, int) continuation) -> kept := Some (k : (int, int) continuation); -1)
      | _ -> None } in
  r, !kept
let continuation f = match capture f with _, Some k -> k | _, None -> assert false

let () =
  let k = continuation (fun () -> perform E + 1) in
  show "first" (fun () -> continue k 10);
  show "second" (fun () -> continue k 20);
  show "third, with an exception" (fun () -> discontinue k Exit);
  let k = continuation (fun () -> try perform E with Exit -> 7) in
  show "discontinued" (fun () -> discontinue k Exit);
  show "then continued" (fun () -> continue k 1);
  show "its call stack" (fun () -> Printexc.raw_backtrace_length (get_callstack k 10));
  let k = continuation (fun () -> 100 * perform E) in
  show "call stack first" (fun () -> min 1 (Printexc.raw_backtrace_length (get_callstack k 10)));
  show "then continued" (fun () -> continue k 2);
  let k = continuation (fun () -> ignore (perform E); failwith "later") in
  show "raises" (fun () -> continue k 0);
  show "after it raised" (fun () -> continue k 0)

(* Resumed by itself: it is not the same continuation any more. *)
let () =
  let k = ref None in
  let rec loop n = if n = 0 then 0 else 1 + perform E + loop (n - 1) in
  let r = match_with loop 3 { retc = (fun x -> x + 500); exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E -> Some (fun (c : (a, int) continuation) ->
          (match !k with
           | None -> ()
           | Some old -> show "an older one" (fun () -> continue (old : (int, int) continuation) 1));
          k := Some (c : (int, int) continuation);
          continue c 10)
      | _ -> None } in
  Printf.printf "result %d\n" r

module S = Effect.Shallow
let () =
  let handler : (int, int) S.handler = { retc = Fun.id; exnc = raise; effc = fun _ -> None } in
  let k = S.fiber (fun n -> n + 1) in
  show "shallow" (fun () -> S.continue_with k 1 handler);
  show "shallow again" (fun () -> S.continue_with k 1 handler);
  show "shallow, with an exception" (fun () -> S.discontinue_with k Exit handler)
