(* Loops whose variables have registers although they call: the callee is compiled in place of the call. Each runs until
   it is hot, then with functions that do other things, whose calls happen out of line. *)
let rounds = 1300

let show name r = Printf.printf "%s: %s\n" name r

(* References that escape stay blocks; `count` and `total` do not. *)
let sum f n =
  let total = ref 0. and count = ref 0 and last = ref "" in
  for i = 1 to n do
    let x = f (float_of_int i) !total in
    total := !total +. x;
    if x > 3. then incr count;
    if i land 255 = 0 then last := string_of_int !count
  done;
  Printf.sprintf "%.4f %d %s" !total !count !last

let halves x total = (x /. 2.) +. (total *. 1e-9)
let collects x total = Gc.minor (); (x -. 1.) +. (total *. 1e-9)
let prints x total = float_of_string (string_of_float x) -. (total *. 1e-9)
let raises x total = if total > 5000. then raise Exit else x +. 1.

let () =
  show "inlined" (sum halves rounds);
  show "collects" (sum collects rounds);
  show "prints" (sum prints rounds);
  show "raises" (try sum raises rounds with Exit -> "Exit");
  show "inlined again" (sum halves rounds)

(* The argument is a content: what the inlined function finds out about it holds only there. *)
let newton f seed =
  let x = ref seed and i = ref 0 in
  while !i < rounds do
    x := f !x;
    incr i
  done;
  !x

let twice f x = newton f x
let near x = x -. (((x *. x) -. 2.) /. (2. *. x))

let () =
  show "newton" (string_of_float (twice near 1.));
  show "newton, other" (string_of_float (twice (fun x -> Gc.minor (); near (near x)) 1.));
  show "integers" (string_of_int (newton (fun x -> (x * 3) land 0xffff) 7));
  show "strings" (newton (fun s -> if String.length s > 20 then "x" else s ^ "y") "z")

(* Several ways that join, in a loop. *)
let clamp low high x = if x < low then low else if x > high then high else x

let clamped f n =
  let sum = ref 0 and product = ref 1 in
  for i = 0 to n do
    let j = f 10 (n / 2) i in
    sum := !sum + j;
    product := (!product * (j lor 1)) land 0xfffff
  done;
  (!sum, !product)

let () =
  List.iter
    (fun f -> let a, b = clamped f rounds in show "clamped" (Printf.sprintf "%d %d" a b))
    [ clamp; (fun a b c -> ignore (Sys.opaque_identity [ a; b ]); c); (fun a b c -> (a + b + c) land 63); clamp ]
