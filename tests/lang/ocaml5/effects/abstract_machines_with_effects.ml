(* An interpreter of a small language whose exceptions, state and output are effects of OCaml. *)
open Effect.Deep
type expr = Num of int | Var of string | Let of string * expr * expr | Op of char * expr * expr | Throw of expr | Try of expr * string * expr | Set of string * expr | Print of expr | Seq of expr * expr | While of expr * expr
type _ Effect.t += Out : int -> unit Effect.t | Lookup : string -> int Effect.t | Store : string * int -> unit Effect.t
exception Thrown of int
let rec eval = function
  | Num n -> n | Var x -> Effect.perform (Lookup x)
  | Let (x, a, b) -> let v = eval a in local x v (fun () -> eval b)
  | Op (o, a, b) -> let x = eval a in let y = eval b in (match o with '+' -> x + y | '-' -> x - y | '*' -> x * y | '<' -> Bool.to_int (x < y) | _ -> if y = 0 then raise (Thrown (-1)) else x / y)
  | Throw a -> raise (Thrown (eval a)) | Try (a, x, b) -> (match eval a with v -> v | exception Thrown n -> local x n (fun () -> eval b))
  | Set (x, a) -> let v = eval a in Effect.perform (Store (x, v)); v
  | Print a -> let v = eval a in Effect.perform (Out v); v | Seq (a, b) -> ignore (eval a); eval b
  | While (c, b) -> if eval c = 0 then 0 else (ignore (eval b); eval (While (c, b)))
and local x v f = let cell = ref v in match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Lookup y when y = x -> Some (fun (k : (a, int) continuation) -> continue k !cell)
  | Store (y, n) when y = x -> Some (fun (k : (a, int) continuation) -> cell := n; continue k ()) | _ -> None) }
let run e = let out = Buffer.create 10 in
  let r = match_with eval e { retc = string_of_int; exnc = (function Thrown n -> "thrown " ^ string_of_int n | e -> Printexc.to_string e); effc = (fun (type a) (e : a Effect.t) -> match e with
    | Out n -> Some (fun (k : (a, string) continuation) -> Buffer.add_string out (string_of_int n ^ ";"); continue k ())
    | Lookup x -> Some (fun (k : (a, string) continuation) -> discontinue k (Failure ("unbound " ^ x))) | _ -> None) } in
  Printf.printf "%s [%s]\n" r (Buffer.contents out)
let () =
  run (Op ('+', Num 1, Num 2)); run (Let ("x", Num 5, Op ('*', Var "x", Let ("x", Num 7, Var "x")))); run (Var "y"); run (Throw (Num 3)); run (Try (Op ('+', Num 1, Throw (Num 9)), "e", Op ('*', Var "e", Num 2)));
  run (Let ("i", Num 0, Let ("s", Num 0, Seq (While (Op ('<', Var "i", Num 100), Seq (Set ("s", Op ('+', Var "s", Var "i")), Set ("i", Op ('+', Var "i", Num 1)))), Print (Var "s")))));
  run (Try (Let ("a", Num 1, Seq (Print (Var "a"), Op ('/', Var "a", Num 0))), "z", Seq (Print (Var "z"), Try (Throw (Op ('+', Var "z", Num 5)), "w", Print (Var "w"))))); run (Set ("q", Num 1))
