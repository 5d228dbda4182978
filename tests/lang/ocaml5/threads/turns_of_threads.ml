(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Threads are preempted, also those of different domains. *)
let () =
  let stop = ref false in
  let spin = Thread.create (fun () -> while not !stop do () done) () in
  Thread.delay 0.01;
  stop := true;
  Thread.join spin;
  print_endline "preempted";
  let stop = Atomic.make false in
  let d = Domain.spawn (fun () ->
      let t = Thread.create (fun () -> while not (Atomic.get stop) do () done) () in
      while not (Atomic.get stop) do () done;
      Thread.join t) in
  Thread.delay 0.01;
  Atomic.set stop true;
  Domain.join d;
  print_endline "ended";
  let n = Atomic.make 0 in
  let work () = for _ = 1 to 1000 do Atomic.incr n; if Atomic.get n mod 100 = 0 then Thread.yield () done in
  let threads = List.init 4 (fun _ -> Thread.create work ()) in
  let domains = List.init 3 (fun _ -> Domain.spawn (fun () ->
      let t = Thread.create work () in work (); Thread.join t)) in
  List.iter Thread.join threads;
  List.iter Domain.join domains;
  Printf.printf "%d\n" (Atomic.get n)
