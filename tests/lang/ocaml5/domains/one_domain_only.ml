(* env: OCAMLRUNPARAM=d=1 *)
let () =
  Printf.printf "%d\n" (Domain.recommended_domain_count ());
  match Domain.spawn (fun () -> 1) with d -> Printf.printf "%d\n" (Domain.join d) | exception Failure s -> print_endline s
