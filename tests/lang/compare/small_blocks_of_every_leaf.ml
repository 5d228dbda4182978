(* Comparison and hashing of values that are leaves or small blocks of leaves, each with each: what
   is decided without a walk, and what only looks like it. *)
type t = A | B | C of int | D of string * float | E of t | F of t Lazy.t | G of int * int * int * int * int * int * int * int * int

let strings =
  [ ""; "a"; "ab"; "ab\000"; "ab\000\000"; "ab\000z"; "ab\000\000\000\000\000\000z"; "abcdefg"; "abcdefgh"; "abcdefg\001";
    "abcdefghabcdefg"; "abcdefgi"; "abcdefgh\255"; String.make 63 'x'; String.make 64 'x'; String.make 65 'x';
    String.make 64 'x' ^ "\000"; String.make 70 'x' ^ "y"; String.make 70 'x' ^ "z"; "\255\255\255\255\255\255\255\255" ]

let floats = [ 0.; -0.; 1.; -1.; nan; infinity; neg_infinity; 1e-300 ]
let ints = [ 0; 1; -1; max_int; min_int; 7 ]

let values : Obj.t list =
  List.concat
    [ List.map Obj.repr strings; List.map Obj.repr floats; List.map Obj.repr ints;
      List.map Obj.repr [ A; B; C 1; C 2; D ("a", 1.); D ("a", nan); D ("b", 1.); E A; E (C 1); E (D ("a", 1.)) ];
      List.map Obj.repr [ (1, 2); (1, 3); (2, 1); (1, max_int) ]; List.map Obj.repr [ (1, "a"); (1, "b"); (1, "ab") ];
      List.map Obj.repr [ [ 1 ]; [ 1; 2 ]; [ 2 ]; [] ]; List.map Obj.repr [ 1L; 2L; -1L ]; [ Obj.repr (1, 1L) ];
      [ Obj.repr (lazy A); Obj.repr (Lazy.from_val (C 1)); Obj.repr (F (Lazy.from_val A)) ];
      [ Obj.repr (G (1, 2, 3, 4, 5, 6, 7, 8, 9)); Obj.repr (G (1, 2, 3, 4, 5, 6, 7, 8, 10)) ];
      [ Obj.repr [| 1.; nan |]; Obj.repr [| 1. |]; Obj.repr [||]; Obj.repr (ref 1.); Obj.repr (nan, nan) ] ]

let result f = match f () with x -> x | exception Invalid_argument text -> text

let () =
  let matrix = Buffer.create 100000 in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let all =
            result (fun () ->
                Printf.sprintf "%d%b%b%b%b%b%b" (compare a b) (a = b) (a <> b) (a < b) (a <= b) (a > b) (a >= b))
          in
          Buffer.add_string matrix all)
        values)
    values;
  print_endline (Digest.to_hex (Digest.string (Buffer.contents matrix)));
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let row = [ String.compare a b; Bool.to_int (String.equal a b); Bool.to_int (a <> b); Bool.to_int (a < b); Bool.to_int (a >= b) ] in
          print_string (String.concat " " (List.map string_of_int row) ^ "; "))
        strings;
      print_newline ())
    strings;
  List.iter
    (fun v ->
      let hash meaningful total = Hashtbl.hash_param meaningful total v in
      Printf.printf "%d %d %d %d %d %d\n" (Hashtbl.hash v) (hash 1 1) (hash 1 100) (hash 2 3) (hash 3 8) (Hashtbl.seeded_hash 7 v))
    values

(* Pieces of every length, from every place to every place, also over each other. *)
let () =
  let from = String.init 64 (fun i -> Char.chr (33 + i)) in
  let digest = ref "" in
  for length = 0 to 24 do
    for at = 0 to 12 do
      let bytes = Bytes.of_string from in
      Bytes.blit bytes 8 bytes at length;
      Bytes.blit bytes at bytes (at + 3) length;
      Bytes.blit_string from (20 + at) bytes 40 (min length 20);
      digest := Digest.string (!digest ^ Bytes.to_string bytes)
    done
  done;
  print_endline (Digest.to_hex !digest)
