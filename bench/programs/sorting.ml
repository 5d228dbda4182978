(* Sorting: quicksort and heap sort of arrays, merge sort of lists, the library's own. *)
let random n =
  let seed = ref 99 in
  Array.init n (fun _ ->
      seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
      !seed lsr 5)

let quicksort a =
  let rec go low high =
    if low < high then begin
      let pivot = a.((low + high) / 2) and i = ref low and j = ref high in
      while !i <= !j do
        while a.(!i) < pivot do incr i done;
        while a.(!j) > pivot do decr j done;
        if !i <= !j then begin
          let t = a.(!i) in
          a.(!i) <- a.(!j);
          a.(!j) <- t;
          incr i;
          decr j
        end
      done;
      go low !j;
      go !i high
    end
  in
  go 0 (Array.length a - 1)

let rec merge (a : int list) b acc =
  match (a, b) with
  | [], rest | rest, [] -> List.rev_append acc rest
  | x :: xs, y :: ys -> if x <= y then merge xs b (x :: acc) else merge a ys (y :: acc)

let rec split l a b = match l with [] -> (a, b) | x :: rest -> split rest b (x :: a)

let rec merge_sort = function
  | ([] | [ _ ]) as l -> l
  | l ->
      let a, b = split l [] [] in
      merge (merge_sort a) (merge_sort b) []

let () =
  let n = int_of_string Sys.argv.(1) in
  let source = random n in
  let a = Array.copy source and b = Array.copy source and c = Array.copy source in
  quicksort (a : int array);
  Array.sort Int.compare b;
  Array.stable_sort (fun (x : int) y -> compare x y) c;
  let d = merge_sort (Array.to_list source) in
  let e = List.sort Int.compare (Array.to_list source) in
  Printf.printf "%b %d\n" (a = b && b = c && d = e && Array.to_list a = d) a.(n / 2)
