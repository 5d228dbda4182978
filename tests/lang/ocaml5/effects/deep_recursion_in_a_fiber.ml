(* A fiber with hundreds of thousands of frames suspends and goes on, several times. *)
open Effect.Deep
type _ Effect.t += Pause : int -> int Effect.t
let switches = ref 0
let run f x = match_with f x { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Pause n -> Some (fun (k : (a, int) continuation) -> incr switches; continue k (n * 2)) | _ -> None) }
let rec down every n =
  if n = 0 then Effect.perform (Pause 1)
  else
    let here = if n mod every = 0 then Effect.perform (Pause n) else n in
    let below = down every (n - 1) in
    let after = if n mod every = 1 then Effect.perform (Pause 1) else 0 in
    (here + below + after) land 0xFFFFFF
let rec failing n = if n = 0 then (ignore (Effect.perform (Pause 0)); raise Exit) else 1 + failing (n - 1)
let rec caught every n =
  if n = 0 then failing 100
  else if n mod every = 0 then try 1 + caught every (n - 1) with Exit -> n + Effect.perform (Pause 3)
  else 1 + caught every (n - 1)
let () =
  List.iter (fun (every, depth) ->
    switches := 0;
    let result = run (down every) depth in
    Printf.printf "%d frames, each %dth pauses: %d, %d switches\n" depth every result !switches)
    [(1, 10); (10, 1000); (1000, 10_000); (5_000, 100_000); (100_000, 300_000)];
  List.iter (fun (every, depth) -> Printf.printf "caught: %d\n" (run (caught every) depth)) [(1, 5); (100, 1000); (10_000, 100_000)];
  Printf.printf "raised out: %b\n" (match run failing 200_000 with _ -> false | exception Exit -> true)
