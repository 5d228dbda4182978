(* Calls: the naive Fibonacci function. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () = Printf.printf "%d\n" (fib (int_of_string Sys.argv.(1)))
