(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* A thread that never yields is preempted; delay lets others run; join from several threads. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let stop = ref false and count = ref 0 in
  let t = Thread.create (fun () -> while not !stop do incr count; ignore (Sys.opaque_identity (ref 0)) done) () in
  let rec wait n = if !count = 0 && n > 0 then (Thread.delay 0.02; wait (n - 1)) in
  wait 500; stop := true; Thread.join t; say "%b" (!count > 0);
  let flag = ref false in
  let t = Thread.create (fun () -> while not !flag do () done; say "saw it") () in
  Thread.delay 0.01; flag := true; Thread.join t;
  let t = Thread.create (fun () -> Thread.delay 0.01) () in
  let joined = Atomic.make 0 in
  let js = List.init 5 (fun _ -> Thread.create (fun () -> Thread.join t; Atomic.incr joined) ()) in
  List.iter Thread.join js; say "%d" (Atomic.get joined);
  let r, w = Unix.pipe () in
  let t = Thread.create (fun () -> let b = Bytes.create 10 in let n = Unix.read r b 0 10 in say "read %s" (Bytes.sub_string b 0 n)) () in
  Thread.yield (); ignore (Unix.write_substring w "wake" 0 4); Thread.join t;
  say "%b" (let a, b, c = Thread.select [r] [] [] 0.001 in a = [] && b = [] && c = [])
