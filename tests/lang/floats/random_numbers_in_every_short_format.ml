(* Numbers of all sizes, and those near powers of ten and between two digits, in formats with every
   flag, width and precision; then the texts are read back. *)
external format_float : string -> float -> string = "caml_format_float"
external format_int : string -> int -> string = "caml_format_int"

let state = ref 12345

let random n =
  state := ((!state * 1103515245) + 12345) land 0x3fffffffffff;
  (!state lsr 12) mod n

let pick a = a.(random (Array.length a))

let number () =
  match random 7 with
  | 0 -> ldexp (float (random 0x3fffffff)) (random 140 - 110)
  | 1 -> float (random 200000) /. float (1 + random 1000)
  | 2 -> (float (random 20001) /. 8.) -. 1000.
  | 3 -> 10. ** float (random 40 - 20)
  | 4 -> Float.pred (10. ** float (random 40 - 20))
  | 5 -> float (random 1000000) /. 1000.
  | _ -> float (random 200 - 100)

let specials = [| 0.; -0.; nan; infinity; neg_infinity; 5e-324; max_float; 0.5; 1.5; 2.5; 1e15; 1e17 |]
let flags = [| ""; "0"; "-"; "+"; " "; "0+"; "-+"; "-0"; "#" |]
let width () = pick [| ""; ""; "1"; "9"; "25"; "41"; "100" |]

let float_format () =
  let precision = pick [| ""; "."; Printf.sprintf ".%d" (random 20) |] in
  "%" ^ pick flags ^ width () ^ precision ^ pick [| "f"; "g"; "F"; "e"; "g"; "f" |]

let int_format () =
  let precision = if random 8 = 0 then Printf.sprintf ".%d" (random 20) else "" in
  "%" ^ pick flags ^ width () ^ precision ^ pick [| "d"; "i"; "u"; "x"; "X"; "o" |]

let integer () = pick [| 0; -1; max_int; min_int; random 1000; -random 1000; random max_int |]
let digest = ref ""
let note text = digest := Digest.string (!digest ^ text)

let read text =
  match float_of_string text with
  | x -> Printf.sprintf "%h" x
  | exception Failure _ -> "failure"

let one show i =
  let x = if random 20 = 0 then pick specials else number () in
  let format = float_format () and n = integer () and other = int_format () in
  let text = format_float format x and digits = format_int other n in
  let back = read (String.trim text) in
  note (text ^ digits ^ back);
  if show then Printf.printf "%s %h [%s] %s; %s [%s]\n" format x text back other digits

let odd_texts =
  [ "1"; "-1"; "+1"; "1."; ".5"; "."; "-"; ""; "1e5"; "1e"; "1e+"; "1E-5"; "1_000.5"; "12345678901234567"; "1e22";
    "1e23"; "123456789012345e22"; "1e-22"; "1e-23"; "00000000000000000001"; "0.000000000000000000001"; "-0"; "-0e5";
    "1e0005"; "1e400"; "1e-400"; "1 "; " 1"; "1x"; "nan"; "-inf"; "infinity"; "0x10"; "1\0002"; "1.5.2"; "9007199254740993" ]

let () =
  for i = 1 to 60 do
    one true i
  done;
  for i = 1 to 20000 do
    one false i
  done;
  print_endline (Digest.to_hex !digest);
  List.iter (fun text -> Printf.printf "%S %s\n" text (read text)) odd_texts;
  List.iter
    (fun format ->
      match format_int format 42 with
      | text -> Printf.printf "%S [%s]\n" format text
      | exception Invalid_argument what -> Printf.printf "%S %s\n" format what)
    [ "%d"; "%5d"; "%ld"; "%nx"; "%Lu"; "%-+5d"; "%099d"; "%40d"; "%-41d"; "<%d" ];
  List.iter
    (fun format -> Printf.printf "%S [%s]\n" format (Printf.sprintf (Scanf.format_from_string format "%lx") (-1l)))
    [ "%lx"; "%012lx" ]
