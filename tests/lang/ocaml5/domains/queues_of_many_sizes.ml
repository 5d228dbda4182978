(* A bounded queue: producers and consumers in domains and threads of domains. *)
type 'a queue = { items : 'a Queue.t; bound : int; mutex : Mutex.t;
                  not_empty : Condition.t; not_full : Condition.t }

let create bound = { items = Queue.create (); bound; mutex = Mutex.create ();
                     not_empty = Condition.create (); not_full = Condition.create () }
let put q x =
  Mutex.protect q.mutex (fun () ->
      while Queue.length q.items >= q.bound do Condition.wait q.not_full q.mutex done;
      Queue.push x q.items;
      Condition.signal q.not_empty)
let take q =
  Mutex.protect q.mutex (fun () ->
      while Queue.is_empty q.items do Condition.wait q.not_empty q.mutex done;
      let x = Queue.pop q.items in
      Condition.signal q.not_full;
      x)

let run ~bound ~producers ~consumers ~each =
  let q = create bound in
  let produce i () = for j = 1 to each do put q ((i * each) + j) done in
  let consume () =
    let rec go sum = match take q with 0 -> sum | n -> go (sum + n) in
    go 0 in
  let c = List.init consumers (fun _ -> Domain.spawn consume) in
  let p = List.init producers (fun i -> Domain.spawn (produce i)) in
  List.iter Domain.join p;
  for _ = 1 to consumers do put q 0 done;
  List.fold_left (fun s d -> s + Domain.join d) 0 c

let broadcast () =
  let m = Mutex.create () and go = Condition.create () and started = ref false in
  let ready = Atomic.make 0 in
  let work i () =
    Mutex.lock m;
    Atomic.incr ready;
    while not !started do Condition.wait go m done;
    Mutex.unlock m;
    i * i in
  let domains = List.init 6 (fun i -> Domain.spawn (work i)) in
  while Atomic.get ready < 6 do Domain.cpu_relax () done;
  Mutex.protect m (fun () -> started := true; Condition.broadcast go);
  List.map Domain.join domains

let () =
  Printf.printf "%d\n" (run ~bound:1 ~producers:1 ~consumers:1 ~each:300);
  Printf.printf "%d\n" (run ~bound:3 ~producers:3 ~consumers:2 ~each:200);
  Printf.printf "%d\n" (run ~bound:50 ~producers:2 ~consumers:5 ~each:500);
  print_endline (String.concat " " (List.map string_of_int (broadcast ())))
