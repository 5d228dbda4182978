let () =
  let m = Mutex.create () and filled = Condition.create () and emptied = Condition.create () in
  let q = Queue.create () in
  let producer n =
    for i = 1 to n do
      Mutex.lock m;
      while Queue.length q > 100 do Condition.wait emptied m done;
      Queue.push (string_of_int i) q;
      Condition.signal filled;
      Mutex.unlock m
    done in
  let total = ref 0 in
  let consumer n =
    for _ = 1 to n do
      Mutex.lock m;
      while Queue.is_empty q do Condition.wait filled m done;
      total := !total + int_of_string (Queue.pop q);
      Condition.signal emptied;
      Mutex.unlock m
    done in
  let c = Thread.create consumer 200_000 in
  let p = Thread.create producer 100_000 in
  producer 100_000;
  Thread.join p;
  Thread.join c;
  Printf.printf "%d\n" !total
