(* The primitives that the loop does itself, each with its usual arguments and with others. *)
let floats = [ 0.; -0.; 1.5; -2.25; infinity; neg_infinity; nan ]
let ints = [ 0; 1; -1; max_int; min_int ]
let strings = [ ""; "a"; "b"; "abcdefg"; "abcdefgh"; "abcdefgi"; "abcdefgh\000" ]
let show name b = Printf.printf "%s %b\n" name b

external array_get_addr : 'a array -> int -> 'a = "caml_array_get_addr"

let compare_all name (pairs : ('a * 'a) list) =
  List.iter
    (fun (a, b) ->
      show (name ^ " =") (a = b);
      show (name ^ " <>") (a <> b);
      show (name ^ " <") (a < b);
      show (name ^ " <=") (a <= b);
      show (name ^ " >") (a > b);
      show (name ^ " >=") (a >= b);
      Printf.printf "%s %d\n" name (compare a b))
    pairs

let pairs list = List.concat_map (fun a -> List.map (fun b -> (a, b)) list) list

let () =
  compare_all "int" (pairs ints);
  compare_all "float" (pairs floats);
  compare_all "string" (pairs strings);
  List.iter
    (fun ((a : float), (b : float)) ->
      List.iter2 show [ "="; "<>"; "<"; "<="; ">"; ">=" ]
        [ a = b; a <> b; a < b; a <= b; a > b; a >= b ];
      Printf.printf "%h %h %h %h\n" (a +. b) (a -. b) (a *. b) (a /. b))
    (pairs floats);
  List.iter (fun x -> Printf.printf "%h %h %h\n" (-.x) (abs_float x) (sqrt x)) floats;
  List.iter (fun n -> Printf.printf "%h %d\n" (float_of_int n) (compare (n : int) 0)) ints;
  List.iter
    (fun ((a : string), (b : string)) ->
      show "string =" (a = b);
      show "string <>" (a <> b))
    (pairs strings);
  List.iter
    (fun ((a : int), (b : int)) -> Printf.printf "%d %b\n" (compare a b) (a <= b))
    (pairs ints)

(* Arrays of any kind: the loop finds out which. *)
let read a i = try a.(i) with Invalid_argument text -> print_endline text; a.(0)
let write a i x = try a.(i) <- x with Invalid_argument text -> print_endline text

let () =
  let whole = Array.make 3 7 and flat = Array.make 3 0.5 and boxes = Array.make 3 (Some 1) in
  List.iter
    (fun i ->
      write whole i 9;
      write flat i 1.25;
      write boxes i None;
      Printf.printf "%d %g %b\n" (read whole i) (read flat i) (read boxes i = None))
    [ 0; 2; 3; -1; max_int ];
  (* Long enough for collections between the reads. *)
  let sum = ref 0. in
  for i = 0 to 999_999 do
    write flat (i mod 3) (!sum /. 2.);
    sum := read flat (i mod 3) +. 1.
  done;
  Printf.printf "%g\n" !sum;
  let numbers = Float.Array.make 4 1. in
  for i = 0 to 4 do
    try
      Float.Array.set numbers i (float_of_int i);
      Printf.printf "%g\n" (Float.Array.get numbers i)
    with Invalid_argument text -> print_endline text
  done;
  let bytes = Bytes.make 3 'a' in
  for i = -1 to 3 do
    try
      Bytes.set bytes i (Char.chr (98 + i));
      Printf.printf "%c %c\n" (Bytes.get bytes i) (Bytes.to_string bytes).[i]
    with Invalid_argument text -> print_endline text
  done;
  Printf.printf "%d %d\n" (Bytes.length bytes) (String.length (Bytes.to_string bytes))
