(* Lazy streams: power series modulo a prime, of which each coefficient is computed when it is first
   needed, from earlier ones of the same series. *)
type series = { head : int; tail : series Lazy.t }

let p = 998244353
let add a b = (a + b) mod p
let mul a b = a * b mod p
let rec power x n = if n = 0 then 1 else let y = power (mul x x) (n / 2) in if n land 1 = 1 then mul x y else y
let inverse x = power x (p - 2)
let rec constant c = { head = c; tail = lazy (constant 0) }
let rec ( + ) a b = { head = add a.head b.head; tail = lazy (Lazy.force a.tail + Lazy.force b.tail) }
let rec scale k a = { head = mul k a.head; tail = lazy (scale k (Lazy.force a.tail)) }
let negate a = scale (p - 1) a

let rec ( * ) a b =
  { head = mul a.head b.head; tail = lazy (scale a.head (Lazy.force b.tail) + (Lazy.force a.tail * b)) }

let rec reciprocal a =
  let k = inverse a.head in
  let rec r = { head = k; tail = lazy (scale (p - k) (Lazy.force a.tail * r)) } in
  r

(* compose a b: a of b. Needs: b.head = 0. *)
and compose a b = { head = a.head; tail = lazy (Lazy.force b.tail * compose (Lazy.force a.tail) b) }

let derivative a =
  let rec go n a = { head = mul n a.head; tail = lazy (go (succ n) (Lazy.force a.tail)) } in
  go 1 (Lazy.force a.tail)

let integral c a =
  let rec go n a = { head = mul a.head (inverse n); tail = lazy (go (succ n) (Lazy.force a.tail)) } in
  { head = c; tail = lazy (go 1 a) }

let rec exponential = { head = 1; tail = lazy (Lazy.force (lazy (integral 1 exponential).tail) |> Lazy.force) }
let rec sine = { head = 0; tail = lazy (Lazy.force (integral 0 cosine).tail) }
and cosine = { head = 1; tail = lazy (Lazy.force (integral 1 (negate sine)).tail) }

(* Catalan numbers: c = 1 + x c^2. *)
let rec catalan = { head = 1; tail = lazy (catalan * catalan) }
let x = { head = 0; tail = lazy (constant 1) }
let rec take n a = if n = 0 then [] else a.head :: take (pred n) (Lazy.force a.tail)
let rec equal n a b = n = 0 || (a.head = b.head && equal (pred n) (Lazy.force a.tail) (Lazy.force b.tail))

let () =
  let n = int_of_string Sys.argv.(1) in
  let show name a =
    let list = take n a in
    let hash = List.fold_left (fun h c -> add (mul h 31) c) 7 list in
    Printf.printf "%s %d %d\n" name (List.nth list (pred n)) hash
  in
  show "exponential" exponential;
  show "tangent" (sine * reciprocal cosine);
  show "catalan" catalan;
  show "partitions of sets" (compose exponential (exponential + constant (p - 1)));
  Printf.printf "%b %b %b\n"
    (equal n ((sine * sine) + (cosine * cosine)) (constant 1))
    (equal n (derivative sine) cosine)
    (equal n (catalan + negate (x * catalan * catalan)) (constant 1))
