(* Bounded queues between producers and consumers in domains. *)
type 'a box = { items : 'a Queue.t; size : int; lock : Mutex.t; some : Condition.t; room : Condition.t }
let make size = { items = Queue.create (); size; lock = Mutex.create (); some = Condition.create (); room = Condition.create () }
let put b x = Mutex.protect b.lock (fun () ->
  while Queue.length b.items >= b.size do Condition.wait b.room b.lock done;
  Queue.push x b.items; Condition.signal b.some)
let take b = Mutex.protect b.lock (fun () ->
  while Queue.is_empty b.items do Condition.wait b.some b.lock done;
  let x = Queue.pop b.items in Condition.signal b.room; x)
let run ~producers ~consumers ~size n =
  let b = make size in
  let ps = List.init producers (fun p -> Domain.spawn (fun () -> for i = 1 to n do put b (Some (p, i)) done)) in
  let cs = List.init consumers (fun _ -> Domain.spawn (fun () ->
    let rec go count sum = match take b with None -> (count, sum) | Some (p, i) -> go (count + 1) (sum + (p * 1000) + i) in go 0 0)) in
  List.iter Domain.join ps;
  for _ = 1 to consumers do put b None done;
  let count, sum = List.fold_left (fun (c, s) d -> let c', s' = Domain.join d in (c + c', s + s')) (0, 0) cs in
  Printf.printf "%d producers, %d consumers, room for %d: %d items, sum %d\n%!" producers consumers size count sum
let () =
  run ~producers:1 ~consumers:1 ~size:1 300;
  run ~producers:2 ~consumers:1 ~size:3 300;
  run ~producers:1 ~consumers:3 ~size:10 1000;
  run ~producers:3 ~consumers:3 ~size:2 500
