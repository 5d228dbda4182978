(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* Domain.join raises again: the backtrace begins there. *)
let rec deep n = if n = 0 then failwith "deep" else 1 + deep (n - 1)
let () =
  Printf.printf "%b\n%!" (Domain.join (Domain.spawn Printexc.backtrace_status));
  (match Domain.join (Domain.spawn (fun () -> try deep 3 with e -> Printexc.print_backtrace stdout; raise e)) with
   | _ -> ()
   | exception Failure s -> Printf.printf "%s\n%!" s);
  ignore (Domain.join (Domain.spawn (fun () -> deep 2)))
