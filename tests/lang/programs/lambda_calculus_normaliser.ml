type term = Var of int | Lam of term | App of term * term

let rec shift d c = function
  | Var k -> Var (if k >= c then k + d else k)
  | Lam t -> Lam (shift d (c + 1) t)
  | App (a, b) -> App (shift d c a, shift d c b)

let rec subst j s = function
  | Var k -> if k = j then s else Var k
  | Lam t -> Lam (subst (j + 1) (shift 1 0 s) t)
  | App (a, b) -> App (subst j s a, subst j s b)

let rec norm = function
  | App (a, b) ->
    (match norm a with
     | Lam t -> norm (shift (-1) 0 (subst 0 (shift 1 0 b) t))
     | a -> App (a, norm b))
  | Lam t -> Lam (norm t)
  | Var k -> Var k

let church n =
  let rec body k = if k = 0 then Var 0 else App (Var 1, body (k - 1)) in
  Lam (Lam (body n))

let plus = Lam (Lam (Lam (Lam (App (App (Var 3, Var 1), App (App (Var 2, Var 1), Var 0))))))
let times = Lam (Lam (Lam (App (Var 2, App (Var 1, Var 0)))))

let rec number = function Lam (Lam t) -> count t | _ -> -1
and count = function Var 0 -> 0 | App (Var 1, t) -> 1 + count t | _ -> min_int

let () =
  Printf.printf "%d\n" (number (norm (App (App (plus, church 17), church 25))));
  Printf.printf "%d\n" (number (norm (App (App (times, church 12), church 11))));
  Printf.printf "%d\n" (number (norm (App (church 3, church 4))))
