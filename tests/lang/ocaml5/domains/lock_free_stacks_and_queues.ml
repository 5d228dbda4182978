(* Stacks and queues by compare_and_set, used by six domains: nothing is lost. *)
module Stack = struct
  type 'a t = 'a list Atomic.t
  let create () = Atomic.make []
  let rec push t x = let l = Atomic.get t in if not (Atomic.compare_and_set t l (x :: l)) then (Domain.cpu_relax (); push t x)
  let rec pop t = match Atomic.get t with [] -> None | x :: r as l -> if Atomic.compare_and_set t l r then Some x else (Domain.cpu_relax (); pop t)
end
module Queue = struct
  type 'a node = { mutable v : 'a option; next : 'a node option Atomic.t }
  type 'a t = { head : 'a node Atomic.t; tail : 'a node Atomic.t }
  let create () = let n = { v = None; next = Atomic.make None } in { head = Atomic.make n; tail = Atomic.make n }
  let rec push q x = let n = { v = Some x; next = Atomic.make None } in
    let rec go () = let t = Atomic.get q.tail in match Atomic.get t.next with
      | None -> if Atomic.compare_and_set t.next None (Some n) then ignore (Atomic.compare_and_set q.tail t n) else go ()
      | Some m -> ignore (Atomic.compare_and_set q.tail t m); go () in go ()
  let rec pop q = let h = Atomic.get q.head in match Atomic.get h.next with None -> None | Some n -> if Atomic.compare_and_set q.head h n then (let v = n.v in n.v <- None; v) else pop q
end
let () =
  let s = Stack.create () and q = Queue.create () in
  let left = Atomic.make 3 in
  let ps = List.init 3 (fun i -> Domain.spawn (fun () -> for j = 1 to 2000 do Stack.push s (i * 2000 + j); Queue.push q (i * 2000 + j) done; Atomic.decr left)) in
  let cs = List.init 3 (fun _ -> Domain.spawn (fun () -> let a = ref 0 and b = ref 0 in
    let rec go () = let fin = Atomic.get left = 0 in match Stack.pop s, Queue.pop q with
      | None, None -> if not fin then (Domain.cpu_relax (); go ())
      | x, y -> a := !a + Option.value ~default:0 x; b := !b + Option.value ~default:0 y; go () in go (); !a, !b)) in
  List.iter Domain.join ps;
  let a, b = List.fold_left (fun (a, b) d -> let x, y = Domain.join d in a + x, b + y) (0, 0) cs in
  Printf.printf "%d %d %d\n" a b (6000 * 6001 / 2)
