(* Domains sort, multiply matrices and collect garbage; the results are those of one domain. *)
let rec msort depth a = let n = Array.length a in
  if n < 50 || depth = 0 then (let b = Array.copy a in Array.stable_sort compare b; b)
  else let h = n / 2 in let l = Array.sub a 0 h and r = Array.sub a h (n - h) in
    let d = Domain.spawn (fun () -> msort (depth - 1) l) in let r = msort (depth - 1) r in let l = Domain.join d in
    let out = Array.make n a.(0) in let i = ref 0 and j = ref 0 in
    for k = 0 to n - 1 do if !j >= Array.length r || (!i < Array.length l && l.(!i) <= r.(!j)) then (out.(k) <- l.(!i); incr i) else (out.(k) <- r.(!j); incr j) done;
    out
let () =
  Random.init 7; let a = Array.init 3000 (fun _ -> Random.float 100.) in
  let b = msort 3 a in let c = Array.copy a in Array.sort compare c; Printf.printf "%b %h\n" (b = c) b.(1000);
  let n = 24 in let m s = Array.init n (fun i -> Array.init n (fun j -> float ((i * s + j) mod 7))) in
  let x = m 3 and y = m 5 in
  let rows lo hi = Array.init (hi - lo) (fun i -> Array.init n (fun j -> let s = ref 0. in for k = 0 to n - 1 do s := !s +. x.(lo + i).(k) *. y.(k).(j) done; !s)) in
  let ds = List.init 4 (fun q -> Domain.spawn (fun () -> rows (q * n / 4) ((q + 1) * n / 4))) in
  let z = Array.concat (List.map Domain.join ds) in Printf.printf "%b %g\n" (z = rows 0 n) (Array.fold_left (fun a r -> Array.fold_left ( +. ) a r) 0. z);
  let ds = List.init 4 (fun i -> Domain.spawn (fun () -> let l = ref [] in for j = 1 to 20000 do l := (i, string_of_int j) :: !l; if j mod 5000 = 0 then Gc.full_major () done; List.length !l, Hashtbl.hash !l)) in
  List.iter (fun d -> let a, b = Domain.join d in Printf.printf "%d %d\n" a b) ds
