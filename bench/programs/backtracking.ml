(* Exceptions as control flow: searches that raise to give up, to report what was found, and to
   leave loops; a Sudoku, a knight's tour, and regular expressions by backtracking. *)
exception Contradiction
exception Found of int

(* Sudoku by propagation: a cell is a set of possible digits. Contradiction undoes a guess. *)
let puzzles =
  [| "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
     "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
     "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
     ".......1.4.........2...........5.4.7..8...3....1.9....3..4..2...5.1........8.6..." |]

let peers =
  Array.init 81 (fun c ->
      let row = c / 9 and column = c mod 9 in
      let is_peer d =
        d <> c && (d / 9 = row || d mod 9 = column || (d / 27 = c / 27 && d mod 9 / 3 = column / 3))
      in
      List.filter is_peer (List.init 81 Fun.id))

let rec bits n = if n = 0 then 0 else 1 + bits (n land (n - 1))
let nodes = ref 0
let limit = ref 0

let rec eliminate cells c set =
  let left = cells.(c) land lnot set in
  if left <> cells.(c) then begin
    if left = 0 then raise Contradiction;
    cells.(c) <- left;
    if left land (left - 1) = 0 then List.iter (fun d -> eliminate cells d left) peers.(c)
  end

let rec solve cells =
  incr nodes;
  if !nodes > !limit then raise (Found (-1));
  let best = ref (-1) and fewest = ref 10 in
  (try
     Array.iteri
       (fun c set ->
         let n = bits set in
         if n > 1 && n < !fewest then begin
           best := c;
           fewest := n;
           if n = 2 then raise Exit
         end)
       cells
   with Exit -> ());
  if !best < 0 then raise (Found (Array.fold_left (fun h set -> ((h * 31) + set) land 0xfffffff) 0 cells));
  for digit = 0 to 8 do
    if cells.(!best) land (1 lsl digit) <> 0 then
      let copy = Array.copy cells in
      match eliminate copy !best (0x1ff lxor (1 lsl digit)) with () -> solve copy | exception Contradiction -> ()
  done

let sudoku text =
  let cells = Array.make 81 0x1ff in
  nodes := 0;
  match
    String.iteri (fun c ch -> if ch <> '.' then eliminate cells c (0x1ff lxor (1 lsl (Char.code ch - 49)))) text;
    solve cells
  with
  | () -> 0
  | exception Found hash -> hash
  | exception Contradiction -> -2

(* A knight's tour by the fewest onward moves; Not_found when a path ends too early. *)
let moves = [ (1, 2); (2, 1); (2, -1); (1, -2); (-1, -2); (-2, -1); (-2, 1); (-1, 2) ]

let tour size start =
  let board = Array.make_matrix size size 0 in
  let free (x, y) = match board.(x).(y) with 0 -> true | _ -> false | exception Invalid_argument _ -> false in
  let onward (x, y) = List.filter free (List.map (fun (dx, dy) -> (x + dx, y + dy)) moves) in
  let tries = ref 0 in
  let rec go (x, y) n =
    incr tries;
    if !tries > 20 * size * size then failwith "too many";
    board.(x).(y) <- n;
    if n = size * size then raise (Found !tries);
    let ranked = List.map (fun at -> (List.length (onward at), at)) (onward (x, y)) in
    match List.iter (fun (_, at) -> try go at (n + 1) with Not_found -> ()) (List.sort compare ranked) with
    | () ->
        board.(x).(y) <- 0;
        raise Not_found
  in
  try go start 1; 0 with Found n -> n | Not_found -> -1 | Failure _ -> -2

(* Patterns with * and ? and alternatives; the continuation raises when the match goes on badly. *)
type pattern = Char of char | Any | Star of pattern | Either of pattern list * pattern list

let rec match_at s i patterns k =
  match patterns with
  | [] -> k i
  | Char c :: rest -> if s.[i] = c then match_at s (i + 1) rest k else raise Not_found
  | Any :: rest ->
      ignore s.[i];
      match_at s (i + 1) rest k
  | Either (a, b) :: rest -> (
      let k' j = match_at s j rest k in
      try match_at s i a k' with Not_found | Invalid_argument _ -> match_at s i b k')
  | Star p :: rest -> (
      try match_at s i [ p ] (fun j -> if j = i then raise Not_found else match_at s j patterns k)
      with Not_found | Invalid_argument _ -> match_at s i rest k)

let search patterns s =
  try
    for i = 0 to String.length s - 1 do
      try match_at s i patterns (fun j -> raise (Found ((1000 * i) + j))) with Not_found | Invalid_argument _ -> ()
    done;
    -1
  with Found at -> at

let () =
  let rounds = int_of_string Sys.argv.(1) in
  limit := 40 * rounds;
  Array.iter (fun p -> Printf.printf "%d\n" (sudoku p)) puzzles;
  let sum = ref 0 in
  for i = 1 to rounds do
    sum := (!sum * 31) + sudoku puzzles.(0) + tour (5 + (i mod 3)) (i mod 5, i / 5 mod 5);
    let s = String.init 60 (fun k -> Char.chr (97 + (((k * k) + (k * i)) mod 5))) in
    let pattern = [ Either ([ Char 'a'; Star (Char 'b') ], [ Char 'c' ]); Star Any; Char 'd'; Any; Char 'e'; Char 'a' ] in
    sum := ((!sum * 31) + search pattern s) land 0xfffffff
  done;
  Printf.printf "%d\n" !sum
