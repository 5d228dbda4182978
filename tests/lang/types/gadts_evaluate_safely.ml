type _ expr =
  | Int : int -> int expr
  | Bool : bool -> bool expr
  | Float : float -> float expr
  | Add : int expr * int expr -> int expr
  | If : bool expr * 'a expr * 'a expr -> 'a expr
  | Less : int expr * int expr -> bool expr
  | Pair : 'a expr * 'b expr -> ('a * 'b) expr
  | Fst : ('a * 'b) expr -> 'a expr
  | Lam : ('a expr -> 'b expr) -> ('a -> 'b) expr
  | App : ('a -> 'b) expr * 'a expr -> 'b expr
  | Lift : 'a -> 'a expr

let rec eval : type a. a expr -> a = function
  | Int n -> n
  | Bool b -> b
  | Float f -> f
  | Add (a, b) -> eval a + eval b
  | If (c, a, b) -> if eval c then eval a else eval b
  | Less (a, b) -> eval a < eval b
  | Pair (a, b) -> (eval a, eval b)
  | Fst p -> fst (eval p)
  | Lam f -> fun x -> eval (f (Lift x))
  | App (f, x) -> (eval f) (eval x)
  | Lift x -> x

type any = Any : 'a * ('a -> string) -> any
type (_, _) eq = Refl : ('a, 'a) eq
type _ ty = TInt : int ty | TString : string ty | TList : 'a ty -> 'a list ty

let cast : type a b. (a, b) eq -> a -> b = fun Refl x -> x

let rec same : type a b. a ty -> b ty -> (a, b) eq option = fun a b -> match a, b with
  | TInt, TInt -> Some Refl
  | TString, TString -> Some Refl
  | TList x, TList y -> (match same x y with Some Refl -> Some Refl | None -> None)
  | _ -> None

let rec show : type a. a ty -> a -> string = fun t v -> match t with
  | TInt -> string_of_int v
  | TString -> v
  | TList u -> "[" ^ String.concat ";" (List.map (show u) v) ^ "]"

let () =
  Printf.printf "%d\n" (eval (If (Less (Int 1, Add (Int 1, Int 1)), Fst (Pair (Int 7,
      Float 2.5)), Int 0)));
  Printf.printf "%d\n" (eval (App (Lam (fun x -> Add (x, x)), Int 21)));
  List.iter (fun (Any (v, f)) -> print_string (f v ^ " "))
    [ Any (1, string_of_int); Any ("s", Fun.id); Any (2.5, string_of_float) ];
  print_endline (show (TList (TList TInt)) [ [ 1 ]; []; [ 2; 3 ] ]);
  Printf.printf "%b %b %d\n" (same (TList TInt) (TList TInt) <> None) (same TInt (TList TInt) <>
      None)
    (cast Refl 5)
