(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
let () =
  let results = Array.make 50 0 in
  let work i = let t = Hashtbl.create 10 in for j = 0 to 300 do Hashtbl.replace t (string_of_int (j * i)) (List.init (j mod 10) Fun.id); if j mod 100 = 0 then Thread.yield () done;
    results.(i) <- Hashtbl.fold (fun k l s -> s + String.length k + List.length l) t 0; if i mod 10 = 0 then Gc.full_major () in
  List.iter Thread.join (List.init 50 (fun i -> Thread.create work i));
  let expected = Array.copy results in
  List.iter Domain.join (List.init 2 (fun d -> Domain.spawn (fun () -> List.iter Thread.join (List.init 25 (fun i -> Thread.create work ((2 * i) + d))))));
  Printf.printf "%b %d\n" (results = expected) (Array.fold_left ( + ) 0 results)
