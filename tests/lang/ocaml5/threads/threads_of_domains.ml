(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Ids count over all domains; a domain ends after its threads; DLS belongs to the domain. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let id () = Thread.id (Thread.self ())
let () =
  p "self %d" (id ());
  let t = Thread.create (fun () -> p "in %d" (id ())) () in
  Thread.join t;
  p "joined %d" (Thread.id t);
  Domain.join (Domain.spawn (fun () ->
      p "domain %d, thread %d" (Domain.self () :> int) (id ());
      Thread.join (Thread.create (fun () ->
          p "domain %d, thread %d" (Domain.self () :> int) (id ())) ())));
  let late = Domain.spawn (fun () ->
      ignore (Thread.create (fun () -> Thread.delay 0.05; p "late thread") ());
      p "body over"; 5) in
  p "joined: %d" (Domain.join late);
  let raising = Domain.spawn (fun () ->
      ignore (Thread.create (fun () -> Thread.delay 0.02; p "thread of a domain that raises") ());
      raise Exit) in
  (match Domain.join raising with () -> () | exception Exit -> p "Exit");
  let key = Domain.DLS.new_key (fun () -> 0) in
  Domain.DLS.set key 4;
  Thread.join (Thread.create (fun () -> p "seen %d" (Domain.DLS.get key); Domain.DLS.set key 5) ());
  p "set by the thread: %d" (Domain.DLS.get key);
  Domain.join (Domain.spawn (fun () ->
      p "new domain: %d" (Domain.DLS.get key);
      Thread.join (Thread.create (fun () -> Domain.DLS.set key 6) ());
      p "then %d" (Domain.DLS.get key)));
  p "here %d" (Domain.DLS.get key);
  (* a domain is joined by a thread of another *)
  let d = Domain.spawn (fun () -> Thread.delay 0.01; 8) in
  Thread.join (Thread.create (fun () -> p "thread joins %d" (Domain.join d)) ());
  (* a thread is joined by another domain *)
  let t = Thread.create (fun () -> Thread.delay 0.01) () in
  Domain.join (Domain.spawn (fun () -> Thread.join t; p "thread has ended"));
  (* at_exit of a domain in which threads still run *)
  Domain.join (Domain.spawn (fun () ->
      Domain.at_exit (fun () -> p "at_exit");
      ignore (Thread.create (fun () -> Thread.delay 0.02; p "after at_exit") ())));
  p "end"
