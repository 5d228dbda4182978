(* A call with more arguments than match_with has applies what the fiber, or its handler, returns. *)
open Effect
open Effect.Deep

type _ Effect.t += E : int -> int t

let answer : type a. a Effect.t -> ((a, int -> int -> int) continuation -> int -> int -> int) option = function
  | E 0 -> Some (fun k a b -> continue k 10 (a + 1) (b + 1))
  | E 1 -> Some (fun k -> let f = continue k 20 in fun a b -> f b a)
  | E 2 -> Some (fun _ a b -> a * b)
  | E 3 -> Some (fun k -> discontinue k Exit)
  | _ -> None

let handler = {
  retc = (fun f a b -> 1000 + f a b);
  exnc = (fun e a b -> print_endline (Printexc.to_string e); a - b);
  effc = answer }

let () =
  let run name f = Printf.printf "%s: %d\n" name (match_with f () handler 7 3) in
  run "plain" (fun () a b -> a - b);
  run "partial" (fun () -> let add x a b = x + a + b in add 100);
  run "continued" (fun () -> let x = perform (E 0) in fun a b -> (x * a) + b);
  run "swapped" (fun () -> let x = perform (E 1) in fun a b -> (x * a) + b);
  run "given up" (fun () -> let x = perform (E 2) in fun a b -> x + a + b);
  run "discontinued" (fun () -> let x = perform (E 3) in fun a b -> x + a + b);
  run "raised" (fun () -> failwith "inside");
  run "nested" (fun () -> match_with (fun () -> let x = perform (E 0) in fun a b -> x + a + b) () handler)

(* A fiber whose first function returns a partial application, or is one. *)
let five a b c d e = Printf.sprintf "%d%d%d%d%d" a b c d e
let () =
  let id = { retc = Fun.id; exnc = raise; effc = (fun _ -> None) } in
  print_endline (match_with (five 1 2) 3 id 4 5);
  print_endline (match_with five 1 id 2 3 4 5);
  let f = match_with (fun x -> five x) 6 id in
  print_endline (f 7 8 9 0);
  let rec many n = if n = 0 then fun a b c d e f g -> a + b + c + d + e + f + g
    else match_with (fun m -> many (m - 1)) n { id with retc = Fun.id } in
  Printf.printf "%d\n" (many 30 1 2 3 4 5 6 7)
