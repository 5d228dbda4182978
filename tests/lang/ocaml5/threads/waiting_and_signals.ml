(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Thread.sigmask, wait_signal; a signal interrupts a thread that waits. *)
let () =
  let old = Thread.sigmask Unix.SIG_BLOCK [ Sys.sigusr1; Sys.sigusr2 ] in
  Printf.printf "%d blocked before\n" (List.length old);
  let t = Thread.create (fun () -> Thread.wait_signal [ Sys.sigusr1 ]) () in
  ignore t;
  let got = ref 0 in
  let waiter = Thread.create (fun () -> got := Thread.wait_signal [ Sys.sigusr2 ]) () in
  Unix.kill (Unix.getpid ()) Sys.sigusr2;
  Thread.join waiter;
  Printf.printf "%b\n" (!got = Sys.sigusr2);
  let now = Thread.sigmask Unix.SIG_BLOCK [] in
  Printf.printf "%b %b\n" (List.mem Sys.sigusr1 now) (List.mem Sys.sigusr2 now);
  (* a new thread and a new domain inherit the mask *)
  Thread.join (Thread.create (fun () ->
      Printf.printf "%b\n" (List.mem Sys.sigusr2 (Thread.sigmask Unix.SIG_BLOCK []))) ());
  Domain.join (Domain.spawn (fun () ->
      Printf.printf "%b\n" (List.mem Sys.sigusr2 (Thread.sigmask Unix.SIG_BLOCK []))));
  ignore (Thread.sigmask Unix.SIG_SETMASK old);
  Printf.printf "%d\n" (List.length (Thread.sigmask Unix.SIG_BLOCK []));
  let r, w = Unix.pipe () in
  let reader = Domain.spawn (fun () ->
      let b = Bytes.create 10 in
      let n = Unix.read r b 0 10 in Bytes.sub_string b 0 n) in
  Thread.delay 0.01;
  ignore (Unix.write_substring w "hello" 0 5);
  print_endline (Domain.join reader)
