(* Polymorphic comparison and hashing of structured values. *)
type shape =
  | Point
  | Circle of float
  | Rect of { w : int; h : int }
  | Named of string * shape list

let shape i =
  match i mod 4 with
  | 0 -> Point
  | 1 -> Circle (float_of_int (i mod 97) /. 7.)
  | 2 -> Rect { w = i mod 31; h = i mod 17 }
  | _ -> Named ("shape" ^ string_of_int (i mod 53), [ Rect { w = i mod 5; h = 2 }; Point; Circle 1.5 ])

let () =
  let n = int_of_string Sys.argv.(1) in
  let shapes = Array.init n (fun i -> (shape (i * 7919), Some [ i mod 11; i mod 13 ], Int64.of_int (i mod 101))) in
  let sorted = Array.copy shapes in
  Array.stable_sort compare sorted;
  let distinct = ref 1 in
  for i = 1 to n - 1 do
    if sorted.(i) <> sorted.(i - 1) then incr distinct
  done;
  let table = Hashtbl.create 1000 in
  Array.iter
    (fun s ->
      match Hashtbl.find_opt table s with
      | Some c -> Hashtbl.replace table s (c + 1)
      | None -> Hashtbl.add table s 1)
    shapes;
  let greatest = Hashtbl.fold (fun _ c m -> max c m) table 0 in
  Printf.printf "%d distinct, %d in the table, most %d, %d\n" !distinct (Hashtbl.length table) greatest
    (Hashtbl.hash sorted.(0));
  let lists = List.init (n / 10) (fun i -> List.init 20 (fun j -> (j * i) land 3)) in
  Printf.printf "%d\n" (List.length (List.sort_uniq compare lists))
