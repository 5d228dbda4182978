(* Threads of one machine; they end before the program does. *)
let total = ref 0 and lock = Mutex.create ()
let count n =
  for _ = 1 to n do
    Mutex.lock lock;
    incr total;
    Mutex.unlock lock;
    if !total land 63 = 0 then Thread.yield ()
  done
let () =
  let threads = List.init 4 (fun _ -> Thread.create count 500) in
  List.iter Thread.join threads;
  Callback.register "work" (fun n -> !total + n)
