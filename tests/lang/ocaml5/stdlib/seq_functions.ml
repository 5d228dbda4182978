let say fmt = Printf.printf (fmt ^^ "\n")
let show s = String.concat " " (List.map string_of_int (List.of_seq s))
let () =
  let open Seq in
  say "%s" (show (take 10 (iterate (fun x -> x * 2) 1))); say "%s" (show (take 5 (drop 3 (Seq.ints 7))));
  say "%s" (show (take_while (( > ) 10) (scan ( + ) 0 (Seq.ints 0)))); say "%s" (show (drop_while (( > ) 5) (List.to_seq [1; 7; 2; 9])));
  say "%s" (String.concat " " (List.map (fun (a, b) -> Printf.sprintf "%d%c" a b) (List.of_seq (zip (Seq.ints 1) (String.to_seq "abc")))));
  say "%s" (show (interleave (List.to_seq [1; 3; 5]) (List.to_seq [2; 4]))); say "%s" (show (sorted_merge Int.compare (List.to_seq [1; 4; 9]) (List.to_seq [2; 4; 8])));
  say "%s" (String.concat "|" (List.map show (List.of_seq (group (fun a b -> a / 10 = b / 10) (List.to_seq [1; 5; 12; 13; 25; 3])))));
  let once = once (List.to_seq [1; 2; 3]) in say "%s" (show once); (match show once with s -> say "%s" s | exception Forced_twice -> say "forced twice");
  let runs = ref 0 in let m = memoize (map (fun x -> incr runs; x * x) (List.to_seq [1; 2; 3])) in say "%s %s %d" (show m) (show m) !runs;
  let d = to_dispenser (List.to_seq [5; 6]) in let a = d () in let b = d () in let c = d () in say "%b %b %b" (a = Some 5) (b = Some 6) (c = None);
  say "%s" (show (of_dispenser (let n = ref 0 in fun () -> incr n; if !n < 4 then Some !n else None)));
  say "%s" (show (flat_map (fun n -> init n Fun.id) (List.to_seq [1; 2; 3]))); say "%s" (show (map_product ( * ) (List.to_seq [1; 2]) (List.to_seq [10; 20]) |> fun s -> s));
  let evens, odds = partition (fun x -> x land 1 = 0) (init 7 Fun.id) in say "%s | %s" (show evens) (show odds);
  say "%s" (String.concat ";" (List.map show (List.of_seq (transpose (List.to_seq [init 3 Fun.id; init 2 Fun.id])))));
  say "%b %b %d" (equal ( = ) (init 3 Fun.id) (List.to_seq [0; 1; 2])) (is_empty empty) (length (init 9 Fun.id)); say "%s" (show (take 7 (cycle (List.to_seq [1; 2; 3])))); say "%s" (match find (( < ) 3) (Seq.ints 0) with Some n -> string_of_int n | None -> "-");
  say "%s %s" (match find_index (( = ) 4) (Seq.ints 0) with Some n -> string_of_int n | None -> "-") (match find_mapi (fun i x -> if i * x > 20 then Some (i, x) else None) (Seq.ints 0) with Some (i, x) -> Printf.sprintf "%d,%d" i x | None -> "-")
