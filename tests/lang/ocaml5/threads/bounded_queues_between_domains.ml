(* libs: unix.cma threads.cma *)
(* flags: -I +threads -I +unix *)
(* Threads in several domains share bounded queues and semaphores. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
type 'a chan = { q : 'a Queue.t; m : Mutex.t; ne : Condition.t; nf : Condition.t; cap : int }
let make cap = { q = Queue.create (); m = Mutex.create (); ne = Condition.create (); nf = Condition.create (); cap }
let send c x = Mutex.protect c.m (fun () -> while Queue.length c.q >= c.cap do Condition.wait c.nf c.m done; Queue.push x c.q; Condition.signal c.ne)
let recv c = Mutex.protect c.m (fun () -> while Queue.is_empty c.q do Condition.wait c.ne c.m done; let x = Queue.pop c.q in Condition.signal c.nf; x)
let () =
  let c = make 3 and out = make 2 in
  let ds = List.init 2 (fun i -> Domain.spawn (fun () ->
    let ts = List.init 3 (fun j -> Thread.create (fun () -> for x = 1 to 50 do send c (i * 1000 + j * 100 + x) done) ()) in
    List.iter Thread.join ts; 1)) in
  let t = Thread.create (fun () -> let s = ref 0 in for _ = 1 to 300 do s := !s + recv c done; send out !s) () in
  p "%d" (recv out); Thread.join t; p "%d" (List.fold_left (fun a d -> a + Domain.join d) 0 ds);
  let s = Semaphore.Counting.make 2 in
  let inside = Atomic.make 0 and most = Atomic.make 0 in
  let ts = List.init 6 (fun _ -> Thread.create (fun () -> for _ = 1 to 5 do Semaphore.Counting.acquire s;
    let n = 1 + Atomic.fetch_and_add inside 1 in if n > Atomic.get most then Atomic.set most n;
    Thread.yield (); Atomic.decr inside; Semaphore.Counting.release s done) ()) in
  List.iter Thread.join ts; p "at most two %b, %d free" (Atomic.get most <= 2) (Semaphore.Counting.get_value s);
  let b = Semaphore.Binary.make false in
  let t = Thread.create (fun () -> Semaphore.Binary.acquire b; p "acquired"; raise Thread.Exit) () in
  Semaphore.Binary.release b; Thread.join t; p "%b" (Semaphore.Binary.try_acquire b);
  let t = Thread.create (fun () -> try Thread.exit () with e -> p "exit raises %s" (Printexc.to_string e)) () in Thread.join t;
  p "%d" (Thread.id (Thread.self ()))
