(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let visit a b = if a + b > 4 then raise Exit else print_int (a + b)
let each k l = List.iter (visit k) l
let () =
  (try each 1 [ 1; 2; 3; 4; 5 ] with Exit -> print_newline (); Printexc.print_backtrace stdout);
  let h = Hashtbl.create 3 in
  Hashtbl.replace h 1 9;
  Hashtbl.iter visit h
