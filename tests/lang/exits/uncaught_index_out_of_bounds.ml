let a = [| 1; 2; 3 |]
let () = print_int a.(Sys.argv |> Array.length |> ( + ) 10)
