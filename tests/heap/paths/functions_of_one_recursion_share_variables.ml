let make () =
  let odds = Bytes.create 1000 in
  let evens = Array.make 50 1.5 in
  let rec even n = n = 0 || (evens.(n) > 1. && odd (n - 1))
  and odd n = Bytes.length odds > n && (n = 1 || even (n - 1)) in
  odd

let second = make ()
