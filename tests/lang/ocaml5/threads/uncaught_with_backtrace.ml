(* flags: -g -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* env: OCAMLRUNPARAM=b *)
let rec deep n = if n = 0 then failwith "deep" else 1 + deep (n - 1)
let () =
  Thread.join (Thread.create (fun () -> ignore (deep 3)) ());
  Thread.join (Thread.create (fun n -> try ignore (deep n) with e -> raise e) 2);
  print_endline "done";
  ignore (deep 1)
