(* under: no: qemu has no room for their stacks *)
(* Hundreds of short domains, in waves and from domains. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec tree d = if d = 0 then 1 else let l = Domain.spawn (fun () -> tree (d - 1)) in let r = tree (d - 1) in Domain.join l + r
let () =
  let total = ref 0 in
  for wave = 1 to 25 do
    let ds = List.init 8 (fun i -> Domain.spawn (fun () -> fib (10 + i))) in
    total := !total + List.fold_left (fun s d -> s + Domain.join d) 0 ds
  done;
  Printf.printf "%d\n" !total; Printf.printf "%d\n" (tree 5);
  let rec chain n = if n = 0 then 0 else 1 + Domain.join (Domain.spawn (fun () -> chain (n - 1))) in Printf.printf "%d\n" (chain 60);
  let d = Domain.spawn (fun () -> ()) in Domain.join d; Printf.printf "%d\n" (Domain.get_id d :> int)
