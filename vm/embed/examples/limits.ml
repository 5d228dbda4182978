let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  Printf.printf "fib 20 = %d\n%!" (fib 20);
  (try ignore (open_in "/etc/hostname") with Sys_error _ -> print_endline "no files");
  Printf.printf "fib %s = %d\n" Sys.argv.(1) (fib (int_of_string Sys.argv.(1)))
