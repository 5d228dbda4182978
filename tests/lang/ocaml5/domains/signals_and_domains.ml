(* flags: -I +unix *)
(* libs: unix.cma *)
(* A handler runs in some domain while others wait. *)
let got = Atomic.make 0
let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> Atomic.incr got));
  let me = Unix.getpid () in
  let d = Domain.spawn (fun () ->
      for i = 1 to 20 do
        Unix.kill me Sys.sigusr1;
        while Atomic.get got < i do Domain.cpu_relax () done
      done) in
  while Atomic.get got < 20 do Domain.cpu_relax () done;
  Domain.join d;
  Printf.printf "%d\n" (Atomic.get got);
  (* while the first domain waits in join *)
  Domain.join (Domain.spawn (fun () ->
      Unix.kill me Sys.sigusr1;
      while Atomic.get got < 21 do ignore (Sys.opaque_identity (ref 0)) done));
  Printf.printf "%d\n" (Atomic.get got);
  (* an exception of a handler ends what it interrupts *)
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun _ -> raise Exit));
  match Unix.kill me Sys.sigusr2; while true do () done with
  | () -> ()
  | exception Exit -> print_endline "Exit"
