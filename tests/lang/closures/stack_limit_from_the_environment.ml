(* env: OCAMLRUNPARAM=l=10k *)
let rec down n = if n = 0 then 0 else 1 + down (n - 1)

let () =
  Printf.printf "%d\n" (down 1_000);
  match down 100_000 with
  | n -> Printf.printf "reached %d\n" n
  | exception Stack_overflow -> print_endline "overflow below 100000"
