(* Every comparison between values of all kinds, also of different types. *)
type t = A | B | C of int | D of int * string | E of t
exception X
exception Y of int

let closure = let k = Sys.opaque_identity 3 in fun x -> x + k
let forced l = ignore (Lazy.force l); Obj.repr l
let lazies =
  [ forced (lazy (1 + Sys.opaque_identity 1)); forced (lazy (Sys.opaque_identity "s"));
    forced (lazy (1.5 +. Sys.opaque_identity 1.)) ]
let o1 = object method m = 1 end
let o2 = object method m = 2 end
let shared = (1, nan)
let rec f x = g x
and g x = if x = 0 then 0 else f (x - 1)

let values : (string * Obj.t) array =
  [| "0", Obj.repr 0; "1", Obj.repr 1; "-1", Obj.repr (-1); "max", Obj.repr max_int; "min", Obj.repr min_int;
     "\"\"", Obj.repr ""; "a", Obj.repr "a"; "ab", Obj.repr "ab"; "b", Obj.repr "b"; "a0", Obj.repr "a\000";
     "8", Obj.repr "12345678"; "9", Obj.repr "123456789"; "ff", Obj.repr "\255";
     "0.", Obj.repr 0.; "-0.", Obj.repr (-0.); "1.", Obj.repr 1.; "nan", Obj.repr nan; "inf", Obj.repr infinity; "-inf", Obj.repr neg_infinity;
     "(1,2)", Obj.repr (1, 2); "(1,3)", Obj.repr (1, 3); "(2,1)", Obj.repr (2, 1); "(1,2,3)", Obj.repr (1, 2, 3);
     "(nan,1)", Obj.repr (nan, 1); "(1,nan)", Obj.repr shared; "(1,nan)'", Obj.repr (1, nan);
     "[]", Obj.repr []; "[1]", Obj.repr [ 1 ]; "[1;2]", Obj.repr [ 1; 2 ];
     "A", Obj.repr A; "C1", Obj.repr (C 1); "D", Obj.repr (D (1, "x")); "D'", Obj.repr (D (1, "y")); "E", Obj.repr (E (E A));
     "[||]", Obj.repr [||]; "[|1.|]", Obj.repr [| 1. |]; "[|nan|]", Obj.repr [| nan |]; "[|1.;nan|]", Obj.repr [| 1.; nan |];
     "[|1.;2.|]", Obj.repr [| 1.; 2. |]; "[|1;2|]", Obj.repr [| 1; 2 |];
     "1l", Obj.repr 1l; "2l", Obj.repr 2l; "-1l", Obj.repr (-1l); "1L", Obj.repr 1L; "2L", Obj.repr 2L; "min L", Obj.repr Int64.min_int;
     "1n", Obj.repr 1n; "2n", Obj.repr 2n; "stdin", Obj.repr stdin;
     "X", Obj.repr X; "Y1", Obj.repr (Y 1); "Y2", Obj.repr (Y 2); "Not_found", Obj.repr Not_found;
     "o1", Obj.repr o1; "o2", Obj.repr o2; "closure", Obj.repr closure; "closure'", Obj.repr (fun x -> x); "f", Obj.repr f; "g", Obj.repr g;
     "(1,closure)", Obj.repr (1, closure); "(2,closure)", Obj.repr (2, closure);
     "weak", Obj.repr (Weak.create 1); "lazy 2", List.nth lazies 0; "lazy s", List.nth lazies 1;
     "lazy 2.5", List.nth lazies 2; "unforced", Obj.repr (lazy (print_endline "no"));
     "bytes", Obj.repr (Bytes.of_string "a"); "abstract", Obj.repr (Obj.new_block Obj.abstract_tag 1) |]

let result f x y =
  match f x y with
  | n -> string_of_int n
  | exception Invalid_argument s -> (match s with "compare: functional value" -> "F" | "compare: abstract value" -> "A" | s -> s)
  | exception e -> Printexc.to_string e

let bool f x y = if f x y then 1 else 0

let () =
  Array.iter
    (fun (n, x) ->
      Array.iter
        (fun (m, y) ->
          Printf.printf "%s ? %s: %s %s%s%s%s%s%s %s\n" n m (result compare x y) (result (bool ( = )) x y)
            (result (bool ( <> )) x y) (result (bool ( < )) x y) (result (bool ( <= )) x y)
            (result (bool ( > )) x y) (result (bool ( >= )) x y)
            (if result compare x x = "0" then "" else "!"))
        values)
    values

let () =
  let l = List.init 100000 (fun i -> i) in
  Printf.printf "%b %d %d\n" (l = List.map (fun x -> x) l) (compare l (l @ [ 1 ])) (compare (0 :: l) l);
  let a = Array.init 1000 (fun i -> string_of_int i) and b = Array.init 1000 (fun i -> string_of_int i) in
  Printf.printf "%b %d\n" (a = b) (b.(999) <- "0"; compare a b);
  Printf.printf "%d %d\n" (compare (List.init 3 float_of_int) [ 0.; 1.; 2. ]) (compare [| "x" |] [| "y" |]);
  Printf.printf "%b %b\n" (min nan 1. = 1.) (max nan 1. = 1.);
  print_endline (String.concat " " (List.map string_of_float (List.sort compare [ 3.; nan; 1.; neg_infinity; infinity; -0.; 0. ])))
