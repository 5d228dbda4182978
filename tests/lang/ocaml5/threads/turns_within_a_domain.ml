(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Mutex, Condition and yield between threads; domain storage is shared by them. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let key = Domain.DLS.new_key (fun () -> 0)
let () =
  let m = Mutex.create () and c = Condition.create () and turn = ref 0 in
  let n = 4 and rounds = 25 in
  let log = Buffer.create 100 in
  let player i = for _ = 1 to rounds do
    Mutex.lock m;
    while !turn mod n <> i do Condition.wait c m done;
    Buffer.add_char log (Char.chr (97 + i)); incr turn; Condition.broadcast c; Mutex.unlock m done in
  List.iter Thread.join (List.init n (fun i -> Thread.create player i));
  say "%s" (Buffer.contents log);
  Domain.DLS.set key 3;
  Thread.join (Thread.create (fun () -> say "thread sees %d" (Domain.DLS.get key); Domain.DLS.set key 4) ());
  say "main sees %d" (Domain.DLS.get key);
  let counts = Array.make 3 0 in
  let stop = ref false in
  let ts = List.init 3 (fun i -> Thread.create (fun () -> while not !stop do counts.(i) <- counts.(i) + 1; Thread.yield () done) ()) in
  while Array.exists (fun n -> n < 10) counts do Thread.yield () done;
  stop := true; List.iter Thread.join ts; say "all ran";
  let held = Mutex.create () and tried = ref false in
  Mutex.lock held;
  let t = Thread.create (fun () -> (try Mutex.unlock held with Sys_error s -> say "%s" s); say "%b" (Mutex.try_lock held); tried := true; Mutex.lock held; say "got it"; Mutex.unlock held) () in
  while not !tried do Thread.yield () done; say "release"; Mutex.unlock held; Thread.join t
