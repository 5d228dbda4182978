(* Calls that are not exact: parser combinators in continuation-passing style, whose functions get
   some of their arguments early and others late, and folds that build functions. *)

(* A parser gets the text, a position, what to do with a result and where it ends, and what to do if
   there is none. *)
let return x _ at ok _ = ok x at
let fail _ _ _ ko = ko ()
let bind p f text at ok ko = p text at (fun x next -> f x text next ok ko) ko
let ( <|> ) p q text at ok ko = p text at ok (fun () -> q text at ok ko)
let map f p text at ok = p text at (fun x -> ok (f x))

let satisfy accepts text at ok ko =
  if at < String.length text && accepts text.[at] then ok text.[at] (at + 1) else ko ()

let rec many p text at ok _ =
  p text at (fun x next -> many p text next (fun rest -> ok (x :: rest)) (fun () -> ok [ x ] next)) (fun () -> ok [] at)

let char c = satisfy (( = ) c)
let digit = satisfy (fun c -> c >= '0' && c <= '9')
let code c = Char.code c - 48

let number =
  bind digit (fun first -> map (List.fold_left (fun n c -> ((10 * n) + code c) mod 10007) (code first)) (many digit))

(* operator c f: the symbol c, then the function that it stands for; chain applies it to both its
   neighbours, one after the other. *)
let operator c f = map (fun _ -> f) (char c)

let chain operand operators =
  let rec rest left = bind operators (fun f -> bind operand (fun right -> rest (f left right))) <|> return left in
  bind operand rest

let add x y = (x + y) mod 10007
let sub x y = (x - y + 10007) mod 10007
let mul x y = x * y mod 10007

let rec expression text = chain term (operator '+' add <|> operator '-' sub) text
and term text = chain factor (operator '*' mul) text

and factor text =
  (number <|> bind (char '(') (fun _ -> bind expression (fun x -> map (fun _ -> x) (char ')')))) text

let evaluate text =
  expression text 0 (fun x at -> if at = String.length text then x else -1) (fun () -> -2)

let rec generate seed depth =
  let next = ((seed * 1103515245) + 12345) land 0x3fffffff in
  if depth = 0 then string_of_int (next lsr 12 mod 1000)
  else
    let left = generate next (depth - 1) and right = generate (next lxor 0x5555) (depth - 1) in
    match next lsr 16 mod 4 with
    | 0 -> left ^ "+" ^ right
    | 1 -> "(" ^ left ^ "-" ^ right ^ ")"
    | 2 -> left ^ "*" ^ right
    | _ -> "(" ^ left ^ ")+" ^ right

(* Functions that return functions, called with all arguments at once, and the reverse. *)
let choose n = if n land 1 = 0 then fun x y -> x + y else fun x y -> (x * y) + 1
let twice f x = f (f x)
let curried a b c d = (a * b) + (c lxor d)

let calls rounds =
  let sum = ref 0 in
  for i = 1 to rounds do
    let partial = curried i 3 in
    let steps = List.map (fun k -> partial k) [ 1; 2; 3 ] in
    sum := List.fold_left (fun acc step -> choose acc (step i) (acc land 0xffff)) !sum steps;
    sum := twice (twice (twice (choose i 5))) !sum land 0xffffff
  done;
  !sum

(* Church numerals: nothing but application. *)
let church n f x = List.fold_right (fun g y -> g y) (List.init n (fun _ -> f)) x
let plus m n f x = m f (n f x)
let times m n f = m (n f)
let value n = n (( + ) 1) 0

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let texts = List.init 12 (fun i -> generate (i + 7) 7) in
  let sum = ref 0 in
  for _ = 1 to rounds do
    sum := List.fold_left (fun acc text -> add (mul acc 31) (evaluate text)) !sum texts
  done;
  Printf.printf "%d\n" !sum;
  Printf.printf "%d %d\n" (evaluate "1+") (evaluate "2)");
  Printf.printf "%d\n" (calls (400 * rounds));
  let n = church 12 in
  Printf.printf "%d\n" (value (times (plus n n) (times n (church (1 + (rounds / 2))))))
