let rec fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2);;
fib 20;;
type t = { alpha : int; beta : t option };;
let r = { alpha = 1; beta = None } in { r with beta = Some r };;
module M = struct let x = 3 let f ~label ?(opt = 2) y = label + opt + y end;;
M.f ~label:1 4;;
let a = 1;; let dropped = 2;;
a
+
a;;
(* a comment *) "and a string";;
(* one
   of two "lines *)" *)
(* nested (* comments *) '"' *)
[1; 2; 3] |> List.map (fun x -> x * x);;
#show_module M;;
#show List.map;;
let rec loop = 1 :: loop;;
class c = object method m = 42 val mutable x = 0 end;;
(new c)#m;;
# fib 3;;
`A, `B 3;;
fun x -> x;;
exception E of int;;
let _ = lazy (print_endline "forced");;
Sys.argv;;
Sys.interactive;;
print_string "no newline";;
prerr_endline "to standard error";;
let w = ref [];;
w := [1.5];;
w;;
