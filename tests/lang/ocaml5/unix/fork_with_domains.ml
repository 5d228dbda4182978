(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name = match Unix.fork () with
  | 0 -> Unix._exit 3
  | pid -> (match Unix.waitpid [] pid with _, WEXITED n -> say "%s: child %d" name n | _ -> say "?")
  | exception Failure s -> say "%s: %s" name s
let () =
  attempt "before";
  Thread.join (Thread.create (fun () -> attempt "in a thread") ());
  attempt "after a thread";
  Domain.join (Domain.spawn (fun () -> attempt "in a domain"));
  attempt "after a domain";
  (match Unix.open_process_in "echo still" with ic -> say "%s" (input_line ic); ignore (Unix.close_process_in ic));
  say "%d" (Sys.command "true")
