(* Balanced trees of the standard library: maps of strings, sets of pairs. *)
module Words = Map.Make (String)

module Points = Set.Make (struct
  type t = int * int

  let compare (a, b) (c, d) =
    let first = Int.compare a c in
    if first <> 0 then first else Int.compare b d
end)

let () =
  let n = int_of_string Sys.argv.(1) in
  let seed = ref 17 in
  let random bound =
    seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
    (!seed lsr 8) mod bound
  in
  let words = ref Words.empty in
  for _ = 1 to n do
    let word = "w" ^ string_of_int (random (n / 4)) in
    words := Words.update word (function None -> Some 1 | Some c -> Some (c + 1)) !words
  done;
  let most = Words.fold (fun w c (bw, bc) -> if c > bc then (w, c) else (bw, bc)) !words ("", 0) in
  Printf.printf "%d words, most frequent %s (%d)\n" (Words.cardinal !words) (fst most) (snd most);
  let points = ref Points.empty and evens = ref Points.empty in
  for _ = 1 to n do
    let p = (random 500, random 500) in
    points := Points.add p !points;
    if fst p land 1 = 0 then evens := Points.add p !evens;
    if snd p land 7 = 0 then points := Points.remove p !points
  done;
  let u = Points.union !points !evens and i = Points.inter !points !evens in
  let d = Points.diff !points !evens in
  Printf.printf "%d %d %d\n" (Points.cardinal u) (Points.cardinal i) (Points.cardinal d)
