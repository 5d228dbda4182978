(* Hash-consed binary decision diagrams: counting the solutions of the n queens constraints. *)
type bdd = False | True | Node of { id : int; var : int; low : bdd; high : bdd }

let id = function False -> 0 | True -> 1 | Node n -> n.id
let unique : (int * int * int, bdd) Hashtbl.t = Hashtbl.create 65536
let next = ref 2

let node var low high =
  if low == high then low
  else
    let key = (var, id low, id high) in
    match Hashtbl.find_opt unique key with
    | Some n -> n
    | None ->
        let n = Node { id = !next; var; low; high } in
        incr next;
        Hashtbl.add unique key n;
        n

let and_memo : (int * int, bdd) Hashtbl.t = Hashtbl.create 65536

let rec conj a b =
  match (a, b) with
  | False, _ | _, False -> False
  | True, o | o, True -> o
  | Node x, Node y -> (
      if x.id = y.id then a
      else
        let key = if x.id < y.id then (x.id, y.id) else (y.id, x.id) in
        match Hashtbl.find_opt and_memo key with
        | Some r -> r
        | None ->
            let r =
              if x.var = y.var then node x.var (conj x.low y.low) (conj x.high y.high)
              else if x.var < y.var then node x.var (conj x.low b) (conj x.high b)
              else node y.var (conj a y.low) (conj a y.high)
            in
            Hashtbl.add and_memo key r;
            r)

let rec neg = function
  | False -> True
  | True -> False
  | Node n -> node n.var (neg n.low) (neg n.high)

let disj a b = neg (conj (neg a) (neg b))
let variable v = node v False True

let count variables root =
  let memo = Hashtbl.create 1024 in
  let rec go level b =
    match b with
    | False -> 0
    | True -> 1 lsl (variables - level)
    | Node n -> (
        let below =
          match Hashtbl.find_opt memo n.id with
          | Some c -> c
          | None ->
              let c = go (n.var + 1) n.low + go (n.var + 1) n.high in
              Hashtbl.add memo n.id c;
              c
        in
        below lsl (n.var - level))
  in
  go 0 root

let queens n =
  let at r c = variable ((r * n) + c) in
  let attacks r c (r2, c2) = (r, c) <> (r2, c2) && (r = r2 || c = c2 || abs (r - r2) = abs (c - c2)) in
  let squares = List.concat (List.init n (fun r -> List.init n (fun c -> (r, c)))) in
  let constrain acc (r, c) =
    let free =
      List.fold_left (fun f (r2, c2) -> conj f (neg (at r2 c2))) True
        (List.filter (attacks r c) squares)
    in
    conj acc (disj (neg (at r c)) free)
  in
  let rows =
    List.init n (fun r ->
        List.fold_left (fun acc c -> disj acc (at r c)) False (List.init n (fun c -> c)))
  in
  List.fold_left constrain (List.fold_left conj True rows) squares

let () =
  let n = int_of_string Sys.argv.(1) in
  let all = queens n in
  Printf.printf "%d queens: %d solutions, %d nodes\n" n (count (n * n) all) !next
