(* A type checker: inference for a small ML with polymorphic let, by unification of variables with
   levels, and the types printed; on programs made of a few shapes, some of them ill-typed. *)
type ty = Var of var ref | Con of string * ty list | Arrow of ty * ty | Any of int
and var = Free of int * int | Link of ty (* number, level *)

type term =
  | Name of string
  | Int of int
  | Fun of string * term
  | App of term * term
  | Let of string * term * term
  | Fix of string * term
  | If of term * term * term
  | Pair of term * term

exception Error of string

module Names = Map.Make (String)

let counter = ref 0
let level = ref 0

let fresh () =
  incr counter;
  Var (ref (Free (!counter, !level)))

let int = Con ("int", [])
let bool = Con ("bool", [])
let list t = Con ("list", [ t ])

let rec repr = function
  | Var ({ contents = Link t } as r) ->
      let t = repr t in
      r := Link t;
      t
  | t -> t

let rec occurs r limit t =
  match repr t with
  | Var r' when r == r' -> raise (Error "cyclic type")
  | Var ({ contents = Free (n, l) } as r') -> if l > limit then r' := Free (n, limit)
  | Con (_, args) -> List.iter (occurs r limit) args
  | Arrow (a, b) ->
      occurs r limit a;
      occurs r limit b
  | _ -> ()

let rec unify a b =
  match (repr a, repr b) with
  | a, b when a == b -> ()
  | Var ({ contents = Free (_, l) } as r), t | t, Var ({ contents = Free (_, l) } as r) ->
      occurs r l t;
      r := Link t
  | Con (f, xs), Con (g, ys) when f = g && List.length xs = List.length ys -> List.iter2 unify xs ys
  | Arrow (a, b), Arrow (c, d) ->
      unify a c;
      unify b d
  | Con (f, _), Con (g, _) -> raise (Error (f ^ " is not " ^ g))
  | _ -> raise (Error "not a function")

let generalize t =
  let seen = ref [] in
  let rec go t =
    match repr t with
    | Var ({ contents = Free (_, l) } as r) when l > !level ->
        let n =
          match List.assq_opt r !seen with
          | Some n -> n
          | None ->
              let n = List.length !seen in
              seen := (r, n) :: !seen;
              n
        in
        Any n
    | Con (f, args) -> Con (f, List.map go args)
    | Arrow (a, b) ->
        let a = go a in
        Arrow (a, go b)
    | t -> t
  in
  go t

let instance t =
  let made = Hashtbl.create 4 in
  let rec go = function
    | Any n -> (
        match Hashtbl.find_opt made n with
        | Some t -> t
        | None ->
            let t = fresh () in
            Hashtbl.add made n t;
            t)
    | Con (_, []) as t -> t
    | Con (f, args) -> Con (f, List.map go args)
    | Arrow (a, b) ->
        let a = go a in
        Arrow (a, go b)
    | Var { contents = Link t } -> go t
    | t -> t
  in
  go t

let rec infer env = function
  | Int _ -> int
  | Name x -> (
      match Names.find_opt x env with Some t -> instance t | None -> raise (Error ("unbound " ^ x)))
  | Fun (x, body) ->
      let a = fresh () in
      let b = infer (Names.add x a env) body in
      Arrow (a, b)
  | App (f, arg) ->
      let tf = infer env f in
      let ta = infer env arg in
      let result = fresh () in
      unify tf (Arrow (ta, result));
      result
  | Let (x, e, body) ->
      incr level;
      let t = match infer env e with t -> decr level; t | exception problem -> decr level; raise problem in
      infer (Names.add x (generalize t) env) body
  | Fix (f, e) ->
      let t = fresh () in
      unify t (infer (Names.add f t env) e);
      t
  | If (c, a, b) ->
      unify (infer env c) bool;
      let t = infer env a in
      unify t (infer env b);
      t
  | Pair (a, b) ->
      let a = infer env a in
      Con ("pair", [ a; infer env b ])

let rec show t =
  match repr t with
  | Var { contents = Free (_, l) } -> "_" ^ string_of_int l
  | Any n -> "'" ^ String.make 1 (Char.chr (97 + (n mod 26)))
  | Con (f, []) -> f
  | Con (f, args) -> "(" ^ String.concat ", " (List.map show args) ^ ") " ^ f
  | Arrow (a, b) -> "(" ^ show a ^ " -> " ^ show b ^ ")"
  | Var _ -> assert false

let a = Any 0
let b = Any 1

let initial =
  List.fold_left
    (fun env (x, t) -> Names.add x t env)
    Names.empty
    [ ("nil", list a); ("cons", Arrow (a, Arrow (list a, list a))); ("head", Arrow (list a, a));
      ("tail", Arrow (list a, list a)); ("empty", Arrow (list a, bool)); ("add", Arrow (int, Arrow (int, int)));
      ("less", Arrow (int, Arrow (int, bool))); ("first", Arrow (Con ("pair", [ a; b ]), a));
      ("second", Arrow (Con ("pair", [ a; b ]), b)) ]

(* The type of a whole program. *)
let scheme term =
  level := 1;
  let t = infer initial term in
  level := 0;
  generalize t

let app f args = List.fold_left (fun f x -> App (f, x)) f args
let n x = Name x

let map =
  let again = app (n "map") [ n "f"; App (n "tail", n "l") ] in
  let step = app (n "cons") [ App (n "f", App (n "head", n "l")); again ] in
  Fix ("map", Fun ("f", Fun ("l", If (App (n "empty", n "l"), n "nil", step))))

let fold =
  let rest = app (n "fold") [ n "f"; app (n "f") [ n "x"; App (n "head", n "l") ]; App (n "tail", n "l") ] in
  Fix ("fold", Fun ("f", Fun ("x", Fun ("l", If (App (n "empty", n "l"), n "x", rest)))))

(* Programs of a given depth; the seed chooses the shapes, and whether there is an error. *)
let rec program seed depth =
  let next = ((seed * 1103515245) + 12345) land 0x3fffffff in
  let x = "x" ^ string_of_int depth in
  if depth = 0 then if next lsr 10 mod 40 = 0 then App (Int 1, n "map") else Pair (n "map", n "fold")
  else
    let body = program next (depth - 1) in
    match next lsr 12 mod 6 with
    | 0 -> Let (x, Fun ("y", Pair (n "y", n "y")), Pair (App (n x, Int depth), body))
    | 1 -> Let (x, app (n "map") [ Fun ("y", app (n "add") [ n "y"; Int 1 ]); n "nil" ], body)
    | 2 -> Let (x, Fun ("f", Fun ("g", Fun ("y", App (n "f", App (n "g", n "y"))))), Pair (n x, body))
    | 3 -> Let (x, App (n "fold", Fun ("s", Fun ("y", app (n "cons") [ n "y"; n "s" ]))), Pair (App (n x, n "nil"), body))
    | 4 -> If (app (n "less") [ Int depth; Int 3 ], body, body)
    | _ -> App (Fun (x, body), Pair (App (n "second", Pair (Int 1, n "fold")), n "map"))

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let errors = Hashtbl.create 16 and digest = ref "" and largest = ref 0 in
  for i = 1 to rounds do
    let term = Let ("map", map, Let ("fold", fold, program (i * 7717) 9)) in
    match scheme term with
    | t ->
        let text = show t in
        largest := max !largest (String.length text);
        digest := Digest.string (!digest ^ text)
    | exception Error why -> Hashtbl.replace errors why (1 + Option.value (Hashtbl.find_opt errors why) ~default:0)
  done;
  print_endline (show (scheme map));
  print_endline (show (scheme fold));
  Printf.printf "%s %d\n" (Digest.to_hex !digest) !largest;
  List.iter
    (fun (why, n) -> Printf.printf "%s: %d\n" why n)
    (List.sort compare (Hashtbl.fold (fun why n list -> (why, n) :: list) errors []))
