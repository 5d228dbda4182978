(* NV5: what is loaded twice (variables of closures, fields, sizes, lengths), and what may change it
   between. *)
[@@@alert "-deprecated"]
[@@@warning "-3"]

let rounds = 1200
let ints name f =
  Printf.printf "%s: %d\n" name
    (List.fold_left (fun h i -> ((h * 31) + f i) land 0xffffff) 7 (List.init rounds Fun.id))

(* Variables of the closure, of an inlined one and of one that is called. *)
let small a b = fun x -> x + a - b
let large a b = fun x -> if x > a then List.fold_left ( + ) b [ x; a ] else b - a
let closures f g a b = fun x ->
  let y = (a * x) + f x + a in
  let z = if b > a then f y - a else g y + b in
  (a * z) + g x + b + f z
let captured = [| small 3 4; small 10 1; large 5 6; large 900 2 |]

let () =
  ints "closures" (fun i ->
      closures captured.(i land 1) captured.(2 + (i land 1)) (i land 15) (i land 7) i)

(* Fields, written under another name, by an inlined function, by a called one. *)
type point = { mutable x : int; mutable y : int; name : string }
let set p v = p.x <- v
let rec move p n = if n > 0 then (p.y <- p.y + 1; move p (n - 1))
let aliases p q i =
  let a = p.x + p.y in
  q.x <- a + i;
  let b = p.x + p.y in
  set q b;
  let c = p.x - q.x + p.y in
  move q (i land 3);
  p.x + p.y + a + b + c + String.length p.name
let references r s i =
  let a = !r in
  s := a + i;
  incr s;
  let b = !r in
  s := !r + b;
  a + b + !r

let () =
  ints "fields" (fun i ->
      let p = { x = i; y = 2 * i; name = "p" } and q = { x = 1; y = 3; name = "other" } in
      aliases p (if i land 1 = 0 then p else q) i);
  ints "references" (fun i ->
      let r = ref i and s = ref 5 in
      references r (if i land 1 = 0 then r else s) i)

(* Sizes of arrays of both kinds, lengths of strings, errors at their ends. *)
let items (a : 'a array) i = if a.(i) = a.(Array.length a - 1 - i) then a.(0) else a.(i + 1)
let bytes s t i =
  let at s i = Char.code s.[i] in
  at s i + at t i + (if i < String.length s && s.[i] = t.[i] then at s (String.length t - 1) else at s 0)
let many a b c d e f g h i =
  a.(i) + b.(i) + c.(i) + d.(i) + e.(i) + f.(i) + g.(i) + h.(i) + a.(i + 1) + b.(i + 1) + c.(i + 1)
  + d.(i + 1) + e.(i + 1) + f.(i + 1) + g.(i + 1) + h.(Array.length a - 1)
let or_else error f = try f () with Invalid_argument _ -> error

let () =
  let texts = [| ""; "a"; "abcdefg"; "abcdefgh"; "abcdefghijklmnop" |] in
  ints "ints" (fun i -> or_else 1 (fun () -> items [| 3; i; 5; 3 |] (i land 7)));
  ints "floats" (fun i ->
      or_else 1 (fun () -> int_of_float (items [| 3.; float_of_int i; 3. |] (i land 3))));
  ints "strings" (fun i -> or_else 1 (fun () -> bytes texts.(i mod 5) texts.(i mod 3 + 2) (i land 15)));
  ints "many" (fun i ->
      let a = [| i; 2; 3 |] and b = [| 4; i |] in
      or_else 1 (fun () -> many a b a b a b a b (i land 3)))

(* A block that becomes smaller. *)
let truncated a n =
  let before = a.(2) + Array.length a in
  Obj.truncate (Obj.repr a) n;
  before + Array.length a + or_else 100 (fun () -> a.(2)) + a.(n - 1)
let cut a n =
  let before = a.(3) in
  Obj.truncate (Obj.repr a) n;
  before + a.(3)

let () =
  ints "truncated" (fun i -> truncated [| i; 2; 3; 4 |] (1 + (i land 1)));
  ints "cut" (fun i -> or_else 7 (fun () -> cut [| i; 2; 3; 4 |] (3 + (i land 1))))
