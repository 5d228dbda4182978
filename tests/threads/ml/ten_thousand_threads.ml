(* Created and joined one after the other, then many alive at once. *)
let () =
  let sum = ref 0 in
  for i = 1 to 10_000 do
    Thread.join (Thread.create (fun i -> sum := !sum + i) i)
  done;
  Printf.printf "%d\n%!" !sum;
  let m = Mutex.create () and go = Condition.create () and gone = ref false in
  let wait i =
    Mutex.lock m;
    while not !gone do Condition.wait go m done;
    sum := !sum - i;
    Mutex.unlock m in
  let threads = List.init 500 (fun i -> Thread.create wait i) in
  for i = 1 to 200_000 do ignore (Sys.opaque_identity (string_of_int i)) done;
  Gc.full_major ();
  Mutex.lock m;
  gone := true;
  Condition.broadcast go;
  Mutex.unlock m;
  List.iter Thread.join threads;
  Printf.printf "%d\n" !sum
