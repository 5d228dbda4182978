let rec fact n = if n = 0 then 1 else n * fact (n - 1)
let () = Plug_registry.register "factorial" (fun n -> fact (n / 4));
    print_endline "plug one says hello"
