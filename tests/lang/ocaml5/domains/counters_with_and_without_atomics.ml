(* Atomic.incr and compare_and_set lose nothing; a mutex neither. *)
let n = 20_000
let each f = List.iter Domain.join (List.init 4 (fun i -> Domain.spawn (fun () -> f i)))
let () =
  let a = Atomic.make 0 in
  each (fun _ -> for _ = 1 to n do Atomic.incr a done);
  Printf.printf "%d\n" (Atomic.get a);
  let b = Atomic.make 0 in
  each (fun _ -> for _ = 1 to n do let rec go () = let v = Atomic.get b in if not (Atomic.compare_and_set b v (v + 2)) then go () in go () done);
  Printf.printf "%d\n" (Atomic.get b);
  let m = Mutex.create () and c = ref 0 in
  each (fun i -> for _ = 1 to n do Mutex.protect m (fun () -> c := !c + i) done);
  Printf.printf "%d\n" !c;
  let l = Atomic.make [] in
  each (fun i -> for j = 1 to 1000 do let rec push () = let old = Atomic.get l in if not (Atomic.compare_and_set l old ((i, j) :: old)) then push () in push () done);
  let items = Atomic.get l in
  Printf.printf "%d %b\n" (List.length items) (List.sort compare items = List.concat (List.init 4 (fun i -> List.init 1000 (fun j -> (i, j + 1)))));
  let in_order = List.for_all (fun i -> let mine = List.filter (fun (k, _) -> k = i) items in List.map snd mine = List.init 1000 (fun j -> 1000 - j)) [0; 1; 2; 3] in
  Printf.printf "%b\n" in_order;
  let x = Atomic.make 100 in
  each (fun i -> for _ = 1 to n do ignore (Atomic.fetch_and_add x (if i land 1 = 0 then 3 else -3)); Atomic.decr x; Atomic.incr x done);
  Printf.printf "%d\n" (Atomic.get x);
  let turn = Atomic.make 0 and taken = Array.make 4000 (-1) in
  each (fun i -> for _ = 1 to 1000 do let t = Atomic.fetch_and_add turn 1 in taken.(t) <- i done);
  Printf.printf "%d %b\n" (Atomic.get turn) (Array.for_all (fun i -> i >= 0) taken)
