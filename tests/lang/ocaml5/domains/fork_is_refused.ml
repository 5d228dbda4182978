(* flags: -I +unix *)
(* libs: unix.cma *)
let () =
  flush stdout;
  (match Unix.fork () with
   | 0 -> Domain.join (Domain.spawn (fun () -> print_endline "a domain in the child")); exit 7
   | pid -> (match snd (Unix.waitpid [] pid) with
       | Unix.WEXITED n -> Printf.printf "the child exits with %d\n%!" n
       | _ -> print_endline "killed"));
  Domain.join (Domain.spawn ignore);
  (match Unix.fork () with
   | 0 -> exit 0
   | _ -> print_endline "forked"
   | exception e -> print_endline (Printexc.to_string e));
  print_endline (Domain.join (Domain.spawn (fun () ->
      match Unix.fork () with _ -> "forked" | exception Failure s -> s)))
