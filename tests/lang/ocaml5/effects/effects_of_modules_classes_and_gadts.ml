(* Effects declared in functors and first-class modules, performed by methods, indexed by GADTs. *)
open Effect open Effect.Deep
module type EFF = sig type t type _ Effect.t += Op : t -> t Effect.t end
let handle (type a) (module M : EFF with type t = a) (g : a -> a) f = match f () with v -> v | effect M.Op x, k -> continue k (g x)
module I = struct type t = int type _ Effect.t += Op : t -> t Effect.t end
module S = struct type t = string type _ Effect.t += Op : t -> t Effect.t end
let fresh (type a) () : (module EFF with type t = a) = (module struct type t = a type _ Effect.t += Op : t -> t Effect.t end)
let () =
  print_endline (handle (module I) succ (fun () -> handle (module S) String.uppercase_ascii (fun () -> perform (S.Op (string_of_int (perform (I.Op 41)) ^ "abc")))));
  let (module A : EFF with type t = int) = fresh () and (module B : EFF with type t = int) = fresh () in
  Printf.printf "%d\n" (handle (module A) (( + ) 1) (fun () -> handle (module B) (( * ) 10) (fun () -> perform (A.Op 5) + perform (B.Op 5))))
class counter = object (self) val mutable n = 0 method tick = n <- n + perform (I.Op n);
  self#show method show = Printf.printf "n=%d\n" n end
let () = handle (module I) (fun x -> x + 1) (fun () -> let c = new counter in c#tick; c#tick; c#tick)
type _ expr = Int : int -> int expr | Bool : bool -> bool expr | Add : int expr * int expr -> int expr | If : bool expr * 'a expr * 'a expr -> 'a expr | Eq : int expr * int expr -> bool expr | Op : (int -> int) * int expr -> int expr
type _ Effect.t += Step : 'a expr -> 'a Effect.t
let rec eval : type a. a expr -> a = function Int n -> n | Bool b -> b | Add (a, b) -> let a = perform (Step a) in
  let b = perform (Step b) in a + b
  | If (c, a, b) -> if perform (Step c) then perform (Step a) else perform (Step b) | Eq (a, b) -> perform (Step a) = perform (Step b) | Op (f, a) -> f (perform (Step a))
let count = ref 0
let rec run : type a. a expr -> a = fun e -> match eval e with v -> v | effect Step e, k -> incr count;
  continue k (run e)
let () = Printf.printf "%d in %d steps\n" (run (If (Eq (Add (Int 1, Int 2), Op (succ, Int 2)), Add (Int 10, Op ((fun x -> x * x), Int 7)), Int 0))) !count
let printer : type a. a Effect.t -> string = function I.Op n -> Printf.sprintf "I.Op %d" n | S.Op s -> "S.Op " ^ s | _ -> "?"
let () = List.iter (fun f -> try f () with Unhandled e -> print_endline (printer e)) [ (fun () -> ignore (perform (I.Op 3))); (fun () -> ignore (perform (S.Op "x"))); (fun () -> ignore (perform (Step (Int 1)))) ]
