(* Four domains build trees and tables while collections run; shared immutable data stays right. *)
type tree = Leaf | Node of tree * int * tree
let rec build lo hi = if lo >= hi then Leaf else let m = (lo + hi) / 2 in Node (build lo m, m, build (m + 1) hi)
let rec sum = function Leaf -> 0 | Node (l, v, r) -> sum l + v + sum r
let shared = build 0 5000
let work i () =
  let total = ref 0 in
  for k = 1 to 20 do
    let t = build k (2000 + k) in
    let h = Hashtbl.create 10 in
    for j = 0 to 300 do Hashtbl.replace h (string_of_int (j * k)) (j, float j) done;
    total := !total + sum t + sum shared + Hashtbl.fold (fun s (j, _) a -> a + String.length s + j) h 0;
    if k mod 7 = 0 then Gc.minor (); if k = 13 && i = 1 then Gc.full_major (); if k = 17 && i = 2 then Gc.compact ()
  done;
  !total
let () =
  let alone = work 0 () in
  let results = List.map Domain.join (List.init 4 (fun i -> Domain.spawn (work i))) in
  Printf.printf "%d %b\n" alone (List.for_all (( = ) alone) results);
  let mailbox = Array.init 4 (fun _ -> Atomic.make []) in
  let senders = List.init 4 (fun i -> Domain.spawn (fun () ->
    for j = 1 to 500 do
      let box = mailbox.((i + j) mod 4) in
      let item = (i, [| string_of_int j; String.make (j mod 30) 'x' |]) in
      let rec send () = let old = Atomic.get box in if not (Atomic.compare_and_set box old (item :: old)) then send () in send ()
    done)) in
  List.iter Domain.join senders; Gc.full_major ();
  Array.iter (fun box -> let l = Atomic.get box in
    Printf.printf "%d %d\n" (List.length l) (List.fold_left (fun s (i, a) -> s + i + int_of_string a.(0) + String.length a.(1)) 0 l)) mailbox
