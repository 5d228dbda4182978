(* An interpreter of a small language: characters to tokens, tokens to a tree, the tree run with
   closures and mutable variables. The argument says how much the interpreted program has to do. *)
type token = Num of int | Id of string | Sym of string | Eof

let keywords = [ "fun"; "let"; "in"; "if"; "then"; "else"; "while"; "do"; "done"; "print" ]
let is_digit c = c >= '0' && c <= '9'
let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '_'

let tokenize text =
  let n = String.length text in
  let rec span p i = if i < n && p text.[i] then span p (i + 1) else i in
  let rec go i acc =
    if i >= n then List.rev (Eof :: acc)
    else
      match text.[i] with
      | ' ' | '\n' -> go (i + 1) acc
      | c when is_digit c ->
          let j = span is_digit i in
          go j (Num (int_of_string (String.sub text i (j - i))) :: acc)
      | c when is_letter c ->
          let j = span (fun c -> is_letter c || is_digit c) i in
          let word = String.sub text i (j - i) in
          go j ((if List.mem word keywords then Sym word else Id word) :: acc)
      | ('<' | ':' | '-') when i + 1 < n && (text.[i + 1] = '=' || text.[i + 1] = '>') ->
          go (i + 2) (Sym (String.sub text i 2) :: acc)
      | c -> go (i + 1) (Sym (String.make 1 c) :: acc)
  in
  go 0 []

type expr =
  | Const of int
  | Var of string
  | Binary of string * expr * expr
  | If of expr * expr * expr
  | Let of string * expr * expr
  | Fun of string * expr
  | Call of expr * expr
  | Assign of string * expr
  | While of expr * expr
  | Seq of expr * expr
  | Print of expr

exception Syntax of string

type parser = { mutable tokens : token list }

let peek p = List.hd p.tokens
let advance p = p.tokens <- List.tl p.tokens

let expect p s =
  if peek p = Sym s then advance p else raise (Syntax ("expected " ^ s))

let name p = match peek p with Id x -> advance p; x | _ -> raise (Syntax "expected a name")
let levels = [| [ "="; "<"; "<=" ]; [ "+"; "-" ]; [ "*"; "/"; "%" ] |]

let rec sequence p =
  let first = expression p in
  if peek p = Sym ";" then begin
    advance p;
    Seq (first, sequence p)
  end
  else first

and expression p =
  match peek p with
  | Sym "let" ->
      advance p;
      let x = name p in
      expect p "=";
      let bound = expression p in
      expect p "in";
      Let (x, bound, sequence p)
  | Sym "fun" ->
      advance p;
      let x = name p in
      expect p "->";
      Fun (x, expression p)
  | Sym "if" ->
      advance p;
      let c = expression p in
      expect p "then";
      let a = expression p in
      expect p "else";
      If (c, a, expression p)
  | Sym "while" ->
      advance p;
      let c = expression p in
      expect p "do";
      let body = sequence p in
      expect p "done";
      While (c, body)
  | Sym "print" ->
      advance p;
      Print (expression p)
  | Id x when List.nth p.tokens 1 = Sym ":=" ->
      advance p;
      advance p;
      Assign (x, expression p)
  | _ -> binary p 0

and binary p level =
  if level = Array.length levels then application p
  else
    let rec more left =
      match peek p with
      | Sym s when List.mem s levels.(level) ->
          advance p;
          more (Binary (s, left, binary p (level + 1)))
      | _ -> left
    in
    more (binary p (level + 1))

and application p =
  let rec more f = match peek p with Num _ | Id _ | Sym "(" -> more (Call (f, atom p)) | _ -> f in
  more (atom p)

and atom p =
  match peek p with
  | Num n -> advance p; Const n
  | Id x -> advance p; Var x
  | Sym "(" ->
      advance p;
      let e = sequence p in
      expect p ")";
      e
  | _ -> raise (Syntax "expected an expression")

type value = Int of int | Closure of string * expr * env
and env = (string * value ref) list

exception Type_error

let int = function Int n -> n | Closure _ -> raise Type_error

let operate op a b =
  match op with
  | "+" -> a + b
  | "-" -> a - b
  | "*" -> a * b
  | "/" -> a / b
  | "%" -> a mod b
  | "<" -> Bool.to_int (a < b)
  | "<=" -> Bool.to_int (a <= b)
  | _ -> Bool.to_int (a = b)

let rec eval env = function
  | Const n -> Int n
  | Var x -> !(List.assoc x env)
  | Binary (op, a, b) ->
      let a = int (eval env a) in
      Int (operate op a (int (eval env b)))
  | If (c, a, b) -> if int (eval env c) <> 0 then eval env a else eval env b
  | Let (x, Fun (y, body), rest) ->
      (* A function may call itself. *)
      let slot = ref (Int 0) in
      let env = (x, slot) :: env in
      slot := Closure (y, body, env);
      eval env rest
  | Let (x, bound, rest) -> eval ((x, ref (eval env bound)) :: env) rest
  | Fun (x, body) -> Closure (x, body, env)
  | Call (f, a) -> (
      let argument = eval env a in
      match eval env f with
      | Closure (x, body, env) -> eval ((x, ref argument) :: env) body
      | Int _ -> raise Type_error)
  | Assign (x, e) ->
      let v = eval env e in
      List.assoc x env := v;
      v
  | While (c, body) ->
      while int (eval env c) <> 0 do
        ignore (eval env body)
      done;
      Int 0
  | Seq (a, b) ->
      ignore (eval env a);
      eval env b
  | Print e ->
      let v = eval env e in
      Printf.printf "%d\n" (int v);
      v

let program =
  "let fib = fun n -> if n < 2 then n else fib (n - 1) + fib (n - 2) in\n\
   let gcd = fun a -> fun b -> if b = 0 then a else gcd b (a % b) in\n\
   let twice = fun f -> fun x -> f (f x) in\n\
   let compose = fun f -> fun g -> fun x -> f (g x) in\n\
   print fib n;\n\
   print twice (compose (fun x -> x * x) (fun x -> x + 1)) 3;\n\
   let i = 1 in let sum = 0 in\n\
   while i <= n * 400 do\n\
  \  sum := sum + gcd i 360;\n\
  \  i := i + 1\n\
   done;\n\
   print sum"

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 15 in
  let parser = { tokens = tokenize program } in
  let tree = sequence parser in
  if peek parser <> Eof then raise (Syntax "something is left over");
  ignore (eval [ ("n", ref (Int n)) ] tree)
