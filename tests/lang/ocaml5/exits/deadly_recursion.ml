(* env: OCAMLRUNPARAM=l=50k *)
let rec f n = if n = 0 then 0 else 1 + f (n - 1)
let () = at_exit (fun () -> print_endline "at exit"); print_int (f 100_000_000)
