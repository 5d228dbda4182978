(* State of each thread in a thread-table; work handed from domain to domain through Saturn. *)
let table : int list ref Thread_table.t = Thread_table.create ()

let mine () =
  let id = Thread.id (Thread.self ()) in
  try Thread_table.find table id
  with Not_found ->
    let state = ref [] in
    Thread_table.add table id state;
    state

let worker number =
  for i = 1 to 50 do
    let state = mine () in
    state := (number * i) :: !state;
    if i mod 7 = 0 then Thread.yield ()
  done;
  let sum = List.fold_left ( + ) 0 !(mine ()) and id = Thread.id (Thread.self ()) in
  Thread_table.add table id (ref [ 1 ]);
  let shadows = !(mine ()) in
  Thread_table.remove table id;
  assert (shadows = [ 1 ] && List.length !(mine ()) = 50);
  Thread_table.remove table id;
  Thread_table.remove table id;
  Printf.sprintf "worker %d: %d" number sum

let threads () =
  let results = Array.make 20 "" in
  let start i = Thread.create (fun () -> results.(i) <- worker i) () in
  List.iter Thread.join (List.init 20 start);
  Array.iter print_endline results;
  Printf.printf "%d states left\n" (Thread_table.length table)

(* A pipeline: numbers, their squares, one sum; each stage a domain, each queue of its own kind. *)
let pipeline () =
  let numbers = Saturn.Single_prod_single_cons_queue.create ~size_exponent:4
  and squares = Saturn.Single_consumer_queue.create () in
  let rec take pop = match pop () with
    | Some x -> x
    | None -> Domain.cpu_relax (); take pop in
  let source = Domain.spawn (fun () ->
    for i = 1 to 2000 do
      while not (Saturn.Single_prod_single_cons_queue.try_push numbers i) do
        Domain.cpu_relax ()
      done
    done) in
  let square = Domain.spawn (fun () ->
    for _ = 1 to 2000 do
      let x = take (fun () -> Saturn.Single_prod_single_cons_queue.pop_opt numbers) in
      Saturn.Single_consumer_queue.push squares (x * x)
    done) in
  let total = ref 0 in
  for _ = 1 to 2000 do
    total := !total + take (fun () -> Saturn.Single_consumer_queue.pop_opt squares)
  done;
  Printf.printf "sum of squares: %d\n" !total;
  Domain.join source;
  Domain.join square;
  Saturn.Single_consumer_queue.close squares;
  match Saturn.Single_consumer_queue.push squares 1 with
  | () -> print_endline "open"
  | exception Saturn.Single_consumer_queue.Closed -> print_endline "closed"

(* Domains of a pool steal from each other until all leaves of a tree are counted. *)
let stealing () =
  let deques = Array.init 4 (fun _ -> Saturn.Work_stealing_deque.create ()) in
  let left = Atomic.make 1 and leaves = Atomic.make 0 in
  Saturn.Work_stealing_deque.push deques.(0) 11;
  let run me =
    let task depth =
      if depth = 0 then Atomic.incr leaves
      else begin
        ignore (Atomic.fetch_and_add left 2);
        Saturn.Work_stealing_deque.push deques.(me) (depth - 1);
        Saturn.Work_stealing_deque.push deques.(me) (depth - 1)
      end;
      Atomic.decr left in
    let rec steal i =
      if i = 4 then Domain.cpu_relax ()
      else match Saturn.Work_stealing_deque.steal_opt deques.((me + i) mod 4) with
        | Some depth -> task depth
        | None -> steal (i + 1) in
    while Atomic.get left > 0 do
      match Saturn.Work_stealing_deque.pop_opt deques.(me) with
      | Some depth -> task depth
      | None -> steal 1
    done in
  List.iter Domain.join (List.init 4 (fun me -> Domain.spawn (fun () -> run me)));
  Printf.printf "leaves: %d\n" (Atomic.get leaves)

(* Everybody puts into one bag, takes from it, and counts in one table. *)
let shared () =
  let bag = Saturn.Bag.create () and counts = Saturn.Htbl.create () in
  for i = 0 to 9 do ignore (Saturn.Htbl.try_add counts i 0) done;
  let rec count k =
    let n = Saturn.Htbl.find_exn counts k in
    if not (Saturn.Htbl.try_compare_and_set counts k n (n + 1)) then count k in
  let rec take () = match Saturn.Bag.pop_opt bag with
    | Some k -> count k
    | None -> Domain.cpu_relax (); take () in
  let run me () =
    for i = 1 to 300 do
      Saturn.Bag.push bag ((me + i) mod 10);
      take ()
    done in
  List.iter Domain.join (List.init 3 (fun me -> Domain.spawn (run me)));
  let all = List.sort compare (List.of_seq (Saturn.Htbl.to_seq counts)) in
  print_endline (String.concat " " (List.map (fun (k, n) -> Printf.sprintf "%d:%d" k n) all));
  Printf.printf "bag: %s\n" (if Saturn.Bag.pop_opt bag = None then "empty" else "not empty")

let () = threads (); pipeline (); stealing (); shared ()
