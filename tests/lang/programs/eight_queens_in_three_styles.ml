let by_lists n =
  let safe q qs = List.for_all Fun.id (List.mapi (fun i q' -> q <> q' && abs (q - q') <> i + 1)
      qs) in
  let rec go k qs = if k = 0 then 1 else
      List.fold_left (fun acc q -> if safe q qs then acc + go (k - 1) (q :: qs) else acc) 0
          (List.init n Fun.id) in
  go n []

let by_bits n =
  let all = (1 lsl n) - 1 in
  let rec go cols d1 d2 =
    if cols = all then 1 else begin
      let free = ref (all land lnot (cols lor d1 lor d2)) and count = ref 0 in
      while !free <> 0 do
        let bit = !free land (- !free) in
        free := !free lxor bit;
        count := !count + go (cols lor bit) ((d1 lor bit) lsl 1) ((d2 lor bit) lsr 1)
      done;
      !count
    end
  in
  go 0 0 0

exception Found of int list
let first n =
  let cols = Array.make n false and d1 = Array.make (2 * n) false and d2 = Array.make (2 * n)
      false in
  let rec place row acc =
    if row = n then raise (Found (List.rev acc));
    for c = 0 to n - 1 do
      if not (cols.(c) || d1.(row + c) || d2.(row - c + n)) then begin
        cols.(c) <- true; d1.(row + c) <- true; d2.(row - c + n) <- true;
        place (row + 1) (c :: acc);
        cols.(c) <- false; d1.(row + c) <- false; d2.(row - c + n) <- false
      end
    done
  in
  try place 0 []; [] with Found l -> l

let () =
  Printf.printf "%d %d\n" (by_lists 6) (by_bits 8);
  List.iter (Printf.printf "%d ") (first 8);
  print_newline ()
