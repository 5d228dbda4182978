(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let me () = Thread.id (Thread.self ())
let () =
  say "main %d" (me ());
  let t = Thread.create (fun n -> say "in thread %d with %d" (me ()) n) 5 in
  Thread.join t; Thread.join t;
  say "id %d" (Thread.id t);
  let ts = List.init 5 (fun i -> Thread.create (fun () -> Thread.yield (); i) ()) in
  List.iter Thread.join ts;
  say "%s" (String.concat " " (List.map (fun t -> string_of_int (Thread.id t)) ts));
  let result = ref 0 in
  let t = Thread.create (fun () -> let inner = Thread.create (fun () -> result := 10) () in Thread.join inner; result := !result + Thread.id inner) () in
  Thread.join t; say "%d %d" (Thread.id t) !result;
  let d = Domain.spawn (fun () -> let first = me () in let t = Thread.create (fun () -> ()) () in Thread.join t; (first, Thread.id t)) in
  let a, b = Domain.join d in say "%b" (b > a && a > Thread.id t);
  say "%b" (Thread.self () == Thread.self ());
  say "%d %d" (Obj.tag (Obj.repr (Thread.self ()))) (Obj.size (Obj.repr (Thread.self ())))
