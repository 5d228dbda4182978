(* Loops over integer arrays: a sieve, a matrix product, bit counting. *)
let sieve n =
  let composite = Bytes.make (n + 1) '\000' in
  let count = ref 0 in
  for i = 2 to n do
    if Bytes.get composite i = '\000' then begin
      incr count;
      let j = ref (i * i) in
      while !j <= n do
        Bytes.set composite !j '\001';
        j := !j + i
      done
    end
  done;
  !count

let product a b =
  let n = Array.length a in
  let c = Array.make_matrix n n 0 in
  for i = 0 to n - 1 do
    for j = 0 to n - 1 do
      let s = ref 0 in
      for k = 0 to n - 1 do
        s := !s + (a.(i).(k) * b.(k).(j))
      done;
      c.(i).(j) <- !s land 0xffff
    done
  done;
  c

let bits n =
  let rec go n acc = if n = 0 then acc else go (n land (n - 1)) (acc + 1) in
  go n 0

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let m = Array.init 60 (fun i -> Array.init 60 (fun j -> (i * j) land 15)) in
  let r = ref m and total = ref 0 in
  for _ = 1 to rounds do
    total := !total + sieve 100_000;
    r := product !r m;
    for i = 1 to 50_000 do
      total := !total + bits i
    done
  done;
  Printf.printf "%d %d\n" !total !r.(13).(27)
