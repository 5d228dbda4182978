(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Domain.join returns after the threads of the domain have ended. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let over = Atomic.make false and ended = Atomic.make 0 in
  let d = Domain.spawn (fun () ->
    ignore (Thread.create (fun () -> while not (Atomic.get over) do Thread.yield () done; Thread.delay 0.01; say "late thread") ());
    Domain.at_exit (fun () -> say "domain's exit"); say "body over"; Atomic.set over true; 5) in
  let n = Domain.join d in
  say "joined %d" n;
  let d = Domain.spawn (fun () -> let ts = List.init 5 (fun i -> Thread.create (fun () -> Thread.delay 0.002; Atomic.incr ended) ()) in List.length ts) in
  let n = Domain.join d in
  say "joined %d, %d have ended" n (Atomic.get ended);
  let d = Domain.spawn (fun () -> ignore (Thread.create (fun () -> Thread.delay 0.005; say "thread of a failure") ()); failwith "body") in
  match Domain.join d with () -> () | exception Failure s -> say "joined %s" s
