(* Many switches between two computations and a handler; nothing grows. *)
open Effect.Deep
type _ Effect.t += Swap : int -> int Effect.t
let () =
  let total = ref 0 in
  let body n () =
    let s = ref 0 in
    for i = 1 to n do s := (!s + Effect.perform (Swap i)) land 0xFFFFFFF done;
    !s in
  let run f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Swap n -> Some (fun (k : (a, int) continuation) -> incr total; continue k (n lxor 5)) | _ -> None) } in
  Printf.printf "%d\n" (run (body 200_000));
  Printf.printf "%d\n" (run (fun () -> run (body 100_000)));
  let rec nested n = if n = 0 then body 10_000 () else run (fun () -> nested (n - 1)) in
  Printf.printf "%d\n" (nested 20);
  for i = 1 to 20_000 do ignore (run (body 1)); ignore (i) done;
  Printf.printf "%d\n" !total
