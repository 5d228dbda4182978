(* Small integer arrays: the pancake flips of all permutations. *)
let flips perm =
  let work = Array.copy perm in
  let count = ref 0 in
  while work.(0) <> 0 do
    let low = ref 0 and high = ref work.(0) in
    while !low < !high do
      let t = work.(!low) in
      work.(!low) <- work.(!high);
      work.(!high) <- t;
      incr low;
      decr high
    done;
    incr count
  done;
  !count

(* The next permutation in the order of rotations; false after the last. *)
let next perm counts n =
  let rec go r =
    if r >= n then false
    else begin
      let first = perm.(0) in
      for i = 0 to r - 1 do
        perm.(i) <- perm.(i + 1)
      done;
      perm.(r) <- first;
      counts.(r) <- counts.(r) + 1;
      if counts.(r) <= r then true
      else begin
        counts.(r) <- 0;
        go (r + 1)
      end
    end
  in
  go 1

let () =
  let n = int_of_string Sys.argv.(1) in
  let perm = Array.init n (fun i -> i) and counts = Array.make n 0 in
  let best = ref 0 and sum = ref 0 and sign = ref 1 in
  let continue = ref true in
  while !continue do
    let f = flips perm in
    if f > !best then best := f;
    sum := !sum + (!sign * f);
    sign := - !sign;
    continue := next perm counts n
  done;
  Printf.printf "%d\nflips(%d) = %d\n" !sum n !best
