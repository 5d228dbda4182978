(* stress: no: a hundred thousand handlers at each collection *)
(* sampled: no: with --gc-verify samples check a call stack through a hundred thousand fibers *)
(* Many handlers around each other; the innermost effect passes all or goes to the nearest. *)
open Effect.Deep
type _ Effect.t += Near : int Effect.t | Far : int Effect.t
let near = { retc = (fun n -> n + 1); exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Near -> Some (fun (k : (a, int) continuation) -> continue k 5) | _ -> None) }
let rec nest n f = if n = 0 then f () else match_with (fun () -> nest (n - 1) f) () near
let far f = match_with f () { retc = Fun.id; exnc = (fun _ -> -1); effc = (fun (type a) (e : a Effect.t) -> match e with
  | Far -> Some (fun (k : (a, int) continuation) -> continue k 7) | _ -> None) }
let () =
  List.iter (fun n ->
    Printf.printf "%d: %d %d %d\n%!" n (nest n (fun () -> 0)) (nest n (fun () -> Effect.perform Near * 1000)) (far (fun () -> nest n (fun () -> raise Exit))))
    [1; 10; 1000; 100_000];
  List.iter (fun n -> Printf.printf "far %d: %d\n%!" n (far (fun () -> nest n (fun () -> Effect.perform Far + Effect.perform Far)))) [10; 1000; 20_000]
