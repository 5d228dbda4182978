let () = print_endline "plugin two starts"; (match Atomic.fetch_and_add (Atomic.make 5) 1 with n -> Printf.printf "%d\n%!" n); if Array.length Sys.argv > 5 then failwith "many"
