(* Domain.DLS: defaults, inheritance by split_from_parent, one value a domain. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let plain = Domain.DLS.new_key (fun () -> ref 0)
let made = Atomic.make 0
let counted = Domain.DLS.new_key (fun () -> Atomic.fetch_and_add made 1)
let inherited = Domain.DLS.new_key ~split_from_parent:(fun n -> n * 10) (fun () -> 1)
let texts = Domain.DLS.new_key ~split_from_parent:(fun s -> s ^ "'") (fun () -> "root")
let () =
  Domain.DLS.get plain := 5;
  say "%d" !(Domain.DLS.get plain);
  Domain.join (Domain.spawn (fun () -> say "in a new domain %d" !(Domain.DLS.get plain); Domain.DLS.get plain := 9));
  say "%d" !(Domain.DLS.get plain);
  say "made %d" (Atomic.get made);
  say "%d %d" (Domain.DLS.get counted) (Domain.DLS.get counted);
  say "%d" (Domain.join (Domain.spawn (fun () -> Domain.DLS.get counted)));
  say "made %d" (Atomic.get made);
  say "%d" (Domain.DLS.get inherited);
  let rec chain n = (Domain.DLS.get inherited, Domain.DLS.get texts) ::
    (if n = 0 then [] else Domain.join (Domain.spawn (fun () -> chain (n - 1)))) in
  List.iter (fun (n, s) -> say "%d %s" n s) (chain 4);
  Domain.DLS.set inherited 7;
  say "%d" (Domain.join (Domain.spawn (fun () -> let a = Domain.DLS.get inherited in Domain.DLS.set inherited 1; a + Domain.DLS.get inherited)));
  say "%d" (Domain.DLS.get inherited);
  let keys = Array.init 100 (fun i -> Domain.DLS.new_key (fun () -> i)) in
  Array.iteri (fun i k -> if i mod 3 = 0 then Domain.DLS.set k (i * 100)) keys;
  let sum () = Array.fold_left (fun s k -> s + Domain.DLS.get k) 0 keys in
  say "%d %d" (sum ()) (Domain.join (Domain.spawn sum));
  Gc.full_major ();
  say "%d" (sum ())
