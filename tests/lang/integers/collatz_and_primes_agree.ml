let rec collatz n steps =
  if n = 1 then steps else collatz (if n land 1 = 0 then n / 2 else (3 * n) + 1) (steps + 1)

let sieve n =
  let composite = Bytes.make (n + 1) '\000' in
  let count = ref 0 in
  for i = 2 to n do
    if Bytes.get composite i = '\000' then begin
      incr count;
      let j = ref (i * i) in
      while !j <= n do Bytes.set composite !j '\001'; j := !j + i done
    end
  done;
  !count

let rec gcd a b = if b = 0 then a else gcd b (a mod b)

let rec power b e m =
  if e = 0 then 1 else
    let h = power (b * b mod m) (e / 2) m in
    if e land 1 = 1 then h * b mod m else h

let () =
  let best = ref (0, 0) in
  for n = 1 to 3000 do best := max !best (collatz n 0, n) done;
  Printf.printf "%d %d\n" (fst !best) (snd !best);
  Printf.printf "%d %d %d\n" (sieve 20000) (gcd 123456 7890) (power 3 1_000_003 1_000_007)
