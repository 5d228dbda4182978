(* random nests of fibers, deep frames, handlers and exceptions *)
open Effect
open Effect.Deep
type _ Effect.t += Yield : int -> int t | Other : int -> int t | Ask : int t
exception Stop of int
let seed = ref 12345
let rand n = seed := (!seed * 1103515245 + 12345) land 0x3fffffff; (!seed lsr 8) mod n
let trace = ref 0
let note x = trace := (!trace * 31 + x) land 0xfffffff
(* a recursion that performs at random depths, with handlers on the way *)
let rec deep n =
  if n = 0 then perform (Yield 1)
  else match n mod 7 with
  | 3 -> (try 1 + deep (n - 1) with Stop k -> note k; k + perform (Yield k))
  | 5 -> let l = [n; n + 1] in let r = deep (n - 1) in note (List.length l); r + List.hd l
  | 6 -> let a = perform (Yield n) in a + deep (n - 1)
  | _ -> let x = string_of_int n in let r = deep (n - 1) in r + String.length x
let run f =
  match_with f () { retc = (fun x -> note x; x);
    exnc = (fun e -> match e with Stop k -> note k; -k | e -> raise e);
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Yield i -> Some (fun (k : (a, _) continuation) ->
        note i;
        match rand 10 with
        | 0 -> discontinue k (Stop i)
        | 1 -> 1 + continue k (i + 1)
        | 2 -> (match continue k i with x -> x + 2 | exception Stop j -> j)
        | _ -> continue k (i * 2 land 0xff))
      | _ -> None }
let rec nest n () =
  if n = 0 then deep (rand 300)
  else if rand 3 = 0 then
    match_with (nest (n - 1)) () { retc = (fun x -> x + 1); exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Other i -> Some (fun (k : (a, _) continuation) -> continue k i)
        | _ -> None }
  else run (nest (n - 1))
let () =
  for i = 1 to 300 do
    let r = try run (nest (rand 8)) with Stop k -> k | Stack_overflow -> -1 in
    note r;
    if i mod 20 = 0 then Gc.full_major ();
    if i mod 10 = 0 then Printf.printf "%d %d %d\n" i r !trace
  done
(* a pool of continuations resumed in random order, some dropped *)
let () =
  let pool = Array.make 50 None in
  let handler = { retc = (fun x -> note x; x); exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Yield i -> Some (fun (k : (a, int) continuation) ->
         pool.(rand 50) <- Some (k : (int, int) continuation); i)
      | _ -> None } in
  for i = 1 to 20000 do
    let j = rand 50 in
    match pool.(j) with
    | Some k when rand 3 > 0 -> pool.(j) <- None;
      (match continue k (rand 100) with x -> note x | exception Stop x -> note x | exception Continuation_already_resumed -> note 77)
    | _ -> note (match_with (fun n -> deep n) (rand 200) handler)
  done;
  Printf.printf "pool %d\n" !trace
