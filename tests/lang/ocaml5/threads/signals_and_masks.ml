(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let hits = ref 0 in
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> incr hits));
  let old = Thread.sigmask SIG_BLOCK [Sys.sigusr1; Sys.sigusr2] in
  say "%d" (List.length old);
  say "%d" (List.length (Thread.sigmask SIG_UNBLOCK [Sys.sigusr2]));
  Unix.kill (Unix.getpid ()) Sys.sigusr1; Thread.yield (); say "blocked: %d" !hits;
  let t = Thread.create (fun () -> let s = Thread.wait_signal [Sys.sigusr1; Sys.sighup] in s = Sys.sigusr1) () in
  Thread.join t;
  ignore (Thread.sigmask SIG_SETMASK old);
  while !hits < 0 do Thread.yield () done; say "after: %d" !hits;
  Unix.kill (Unix.getpid ()) Sys.sigusr1;
  while !hits < 1 do Thread.yield () done; say "%d" !hits;
  let t = Thread.create (fun () -> say "%d" (List.length (Thread.sigmask SIG_BLOCK [Sys.sigterm]))) () in
  Thread.join t; say "%d" (List.length (Thread.sigmask SIG_BLOCK []))
