(* Functions that call themselves: with some arguments in registers, others in the frame. *)
let rounds = 1200
let ints name f =
  Printf.printf "%s: %d\n" name (List.fold_left (fun h i -> ((h * 31) + f i) land 0xffffff) 7 (List.init rounds Fun.id))

(* Tail calls: arguments that change, stay, change places, and more than there are registers. *)
let rec sum i acc = if i = 0 then acc else sum (i - 1) (acc + i)
let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let rec turn n a b c d = if n = 0 then a + (2 * b) + (3 * c) + (4 * d) else turn (n - 1) b c d a
let rec six n a b c d e = if n = 0 then a - b + (c * d) - e else six (n - 1) e a (b + 1) c d
let rec seven n a b c d e f = if n = 0 then a - b + (c * d) - e + f else seven (n - 1) f e a (b + 1) c d
let rec large n k = if n = 0 then k land 0xffff else large (n - 1) 0x3fff_ffff_ffff_ff1f
let rec branches n k =
  if n = 0 then k else
  let k = if n land 1 = 0 && k > 3 || k < -9 then k - 3 else k + 2 in
  branches (n - 1) (match k land 3 with 0 -> k | 1 -> k + 1 | _ -> k * 2 land 0xff)

let () =
  ints "sum" (fun i -> sum (i land 31) i);
  ints "gcd" (fun i -> gcd i 360);
  ints "turn" (fun i -> turn (i land 7) i 2 3 4);
  ints "six" (fun i -> six (i land 7) i 2 3 4 5);
  ints "seven" (fun i -> seven (i land 7) i 2 3 4 5 6);
  ints "large" (fun i -> large (i land 3) i);
  ints "branches" (fun i -> branches (i land 15) i)

(* Other calls: results that are used, arguments that are used after the call. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec ackermann m n =
  if m = 0 then n + 1 else if n = 0 then ackermann (m - 1) 1 else ackermann (m - 1) (ackermann m (n - 1))
let rec takeuchi x y z =
  if y >= x then z else takeuchi (takeuchi (x - 1) y z) (takeuchi (y - 1) z x) (takeuchi (z - 1) x y)
let rec four a b c d = if a <= 0 then b + c + d else four (a - 1) c d b + four (a - 2) b (c + a) d - d
let rec build depth = if depth = 0 then [] else depth :: (build (depth - 1) @ build (depth / 2 - 1 |> max 0))
let rec fold f acc = function [] -> acc | x :: l -> fold f (f acc x) l
let rec map f = function [] -> [] | x :: l -> let y = f x in y :: map f l

let () =
  ints "fib" (fun i -> fib (i land 7));
  ints "ackermann" (fun i -> ackermann (i land 1) (i land 7));
  ints "takeuchi" (fun i -> takeuchi (i land 7) (i land 3) 1);
  ints "four" (fun i -> four (i land 3) i 2 3);
  ints "lists" (fun i -> fold ( + ) 0 (map succ (build (i land 7))))

(* Floats, boxed at each call; captured variables; exceptions; a partial application of itself. *)
let rec power x n = if n = 0 then 1. else if n land 1 = 0 then power (x *. x) (n / 2) else x *. power x (n - 1)
let rec average n total weight = if n = 0 then total /. weight else average (n - 1) (total +. float_of_int n) (weight +. 1.)
let search limit =
  let rec go i j = if i * j > limit then (i, j) else if i > j then go i (j + 1) else go (i + 1) j in
  let i, j = go 1 1 in
  (100 * i) + j
let rec descend n k = if n = 0 then raise Exit else try descend (n - 1) (k + n) with Exit -> if k > 9 then raise Exit else k
let rec curried n k = if n = 0 then k else List.fold_left (fun f x -> fun k -> f (k + x)) (curried (n - 1)) [ 1; 2 ] k

let () =
  Printf.printf "floats: %.6f %.6f\n" (power 1.0001 1000) (average 2000 0. 0.5);
  ints "floats" (fun i -> int_of_float (power 1.5 (i land 15)) + int_of_float (average (i land 7) 1. 1.));
  ints "captured" search;
  ints "raising" (fun i -> try descend (i land 7) 0 with Exit -> -1);
  ints "curried" (fun i -> curried (i land 7) i)

(* Values of another kind than the uses of an argument let expect; equal code, other closures. *)
let rec mixed n (x : int) = if n = 0 then x else if n > 50 then mixed (n - 1) (x + 1) else mixed (n - 1) x
let make k = let rec go n acc = if n = 0 then acc + k else go (n - 1) (acc + n) in go

let () =
  ints "kinds" (fun i -> mixed (i land 63) i);
  ints "other kinds" (fun i -> String.length (Obj.magic (mixed (i land 31) (Obj.magic (string_of_int i)))));
  ints "closures" (fun i -> make i (i land 15) 1 + make 5 (i land 3) i)

(* Depth, call stacks and collections. *)
let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)
let rec frames n = if n = 0 then Printexc.raw_backtrace_length (Printexc.get_callstack 100) else frames (n - 1) + 0
let rec chain n l = if n = 0 then List.length l else chain (n - 1) (string_of_int n :: l)
let rec overflow n = if n = -1 then 0 else 1 + overflow (n + 1)

let () =
  Printf.printf "depth: %d\n" (depth 20000);
  ints "frames" (fun i -> frames (i land 15));
  Printf.printf "chain: %d\n" (chain 5000 []);
  print_endline (try string_of_int (overflow 0) with Stack_overflow -> "Stack_overflow")
