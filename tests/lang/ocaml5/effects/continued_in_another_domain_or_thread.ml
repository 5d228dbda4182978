(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* A computation captured here goes on there. *)
open Effect.Deep
type _ Effect.t += Move : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let capture f =
  let kept : (int, int) continuation option ref = ref None in
  ignore (match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Move -> Some (fun (k : (a, int) continuation) -> kept := Some k; 0) | _ -> None) });
  Option.get !kept
let where () = (Domain.self () :> int)
let task () =
  let here = where () in
  let data = List.init 100 (fun i -> string_of_int i) in
  let n = Effect.perform Move in
  let there = where () in
  let m = Effect.perform Move in
  say "%d %d %d: %d" here there (where ()) (List.length data); n + m
let next k v = ignore (continue k v : int)
let () =
  let again : (int, int) continuation option ref = ref None in
  let start f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Move -> Some (fun (k : (a, int) continuation) -> again := Some k; -1) | _ -> None) } in
  say "%d" (start task);
  say "%d" (Domain.join (Domain.spawn (fun () -> continue (Option.get !again) 10)));
  Gc.full_major ();
  say "%d" (Domain.join (Domain.spawn (fun () -> continue (Option.get !again) 20)));
  say "%d" (start task);
  let r = ref 0 in
  Thread.join (Thread.create (fun () -> r := continue (Option.get !again) 1) ());
  say "%d" !r;
  say "%d" (continue (Option.get !again) 2);
  let k = capture (fun () -> let n = Effect.perform Move in n * 2) in
  let results = List.map Domain.join (List.init 3 (fun i -> Domain.spawn (fun () ->
    match continue k i with n -> n / 2 = i | exception Effect.Continuation_already_resumed -> false))) in
  say "%d of 3" (List.length (List.filter Fun.id results))
