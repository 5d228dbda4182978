(* Lazy values: the Hamming numbers as merged infinite streams, and a lazy sieve. *)
type 'a stream = Cons of 'a * 'a stream Lazy.t

let rec map f (Cons (x, rest)) = Cons (f x, lazy (map f (Lazy.force rest)))

let rec merge (Cons (x, xs) as a) (Cons (y, ys) as b) =
  if x < y then Cons (x, lazy (merge (Lazy.force xs) b))
  else if x > y then Cons (y, lazy (merge a (Lazy.force ys)))
  else Cons (x, lazy (merge (Lazy.force xs) (Lazy.force ys)))

let hamming () =
  let rec numbers =
    lazy
      (Cons
         ( 1,
           lazy
             (let all = Lazy.force numbers in
              merge (map (( * ) 2) all) (merge (map (( * ) 3) all) (map (( * ) 5) all))) ))
  in
  Lazy.force numbers

let rec nth (Cons (x, rest)) n = if n = 0 then x else nth (Lazy.force rest) (n - 1)

let rec filter p (Cons (x, rest)) =
  if p x then Cons (x, lazy (filter p (Lazy.force rest))) else filter p (Lazy.force rest)

let rec from n = Cons (n, lazy (from (n + 1)))

let rec sieve (Cons (p, rest)) =
  Cons (p, lazy (sieve (filter (fun n -> n mod p <> 0) (Lazy.force rest))))

let () =
  let n = int_of_string Sys.argv.(1) in
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + nth (hamming ()) (5000 + i)
  done;
  Printf.printf "%d\n" !sum;
  Printf.printf "%d\n" (nth (sieve (from 2)) (60 * n))
