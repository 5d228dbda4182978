(* Term rewriting: Peano arithmetic and list functions by innermost rewriting with pattern rules. *)
type term = Var of int | App of string * term list

let rec substitute env = function
  | Var v -> List.assoc v env
  | App (f, args) -> App (f, List.map (substitute env) args)

exception Mismatch

let rec matching env pattern term =
  match (pattern, term) with
  | Var v, _ -> (v, term) :: env
  | App (f, ps), App (g, ts) when String.equal f g && List.compare_lengths ps ts = 0 ->
      List.fold_left2 matching env ps ts
  | _ -> raise Mismatch

let zero = App ("0", [])
let succ t = App ("s", [ t ])
let app2 f a b = App (f, [ a; b ])
let x = Var 0
let y = Var 1
let z = Var 2

let rules =
  [
    (app2 "add" zero x, x);
    (app2 "add" (succ x) y, succ (app2 "add" x y));
    (app2 "mul" zero x, zero);
    (app2 "mul" (succ x) y, app2 "add" y (app2 "mul" x y));
    (app2 "append" (App ("nil", [])) x, x);
    (app2 "append" (app2 "cons" x y) z, app2 "cons" x (app2 "append" y z));
    (App ("reverse", [ App ("nil", []) ]), App ("nil", []));
    ( App ("reverse", [ app2 "cons" x y ]),
      app2 "append" (App ("reverse", [ y ])) (app2 "cons" x (App ("nil", []))) );
    (App ("fact", [ zero ]), succ zero);
    (App ("fact", [ succ x ]), app2 "mul" (succ x) (App ("fact", [ x ])));
  ]

let steps = ref 0

let rec normal term =
  match term with
  | Var _ -> term
  | App (f, args) -> reduce (App (f, List.map normal args)) rules

and reduce term = function
  | [] -> term
  | (left, right) :: rest -> (
      match matching [] left term with
      | env ->
          incr steps;
          normal_instance env right
      | exception Mismatch -> reduce term rest)

(* The arguments that come from env are normal already. *)
and normal_instance env = function
  | Var v -> List.assoc v env
  | App (f, args) -> reduce (App (f, List.map (normal_instance env) args)) rules

let rec of_int n = if n = 0 then zero else succ (of_int (n - 1))
let rec to_int = function App ("s", [ t ]) -> 1 + to_int t | _ -> 0
let rec of_list = function [] -> App ("nil", []) | n :: l -> app2 "cons" (of_int n) (of_list l)
let rec length = function App ("cons", [ _; t ]) -> 1 + length t | _ -> 0

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let result = ref (0, 0) in
  for _ = 1 to rounds do
    let f = normal (App ("fact", [ of_int 6 ])) in
    let l = normal (App ("reverse", [ of_list (List.init 40 (fun i -> i mod 3)) ])) in
    result := (to_int f, length l)
  done;
  Printf.printf "fact 6 = %d, reversed %d, %d steps\n" (fst !result) (snd !result) !steps
