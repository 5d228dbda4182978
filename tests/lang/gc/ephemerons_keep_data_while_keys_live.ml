(* ocaml5: no: its ephemerons are immutable *)
(* Ephemeron.K1, K2, Kn: data is alive exactly while all keys are, through chains and cycles. *)
module E = Ephemeron

let block n = ref (Sys.opaque_identity n)
let state name set = Printf.printf "%s %s\n" name (if set then "full" else "empty")

let one () =
  let e = E.K1.create () in
  let k = block 1 in
  E.K1.set_key e k;
  E.K1.set_data e (block 2);
  Gc.full_major ();
  state "k1 alive" (E.K1.check_key e && E.K1.check_data e);
  (match E.K1.get_data e with Some d -> Printf.printf "data %d\n" !d | None -> print_endline "no data");
  ignore (Sys.opaque_identity k)

let set_both e =
  let k = block 1 and d = block 2 in
  E.K1.set_key e k;
  E.K1.set_data e d;
  ignore (Sys.opaque_identity (k, d))

let one_dead () =
  let e = E.K1.create () in
  set_both e;
  Gc.full_major ();
  state "k1 dead key" (E.K1.check_key e);
  state "k1 dead data" (E.K1.check_data e)

let own_key_in_data () =
  let e = E.K1.create () in
  let k = block 1 in
  E.K1.set_key e k;
  E.K1.set_data e (k, k);
  Gc.minor ();
  state "cyclic alive" (E.K1.check_data e);
  ignore (Sys.opaque_identity k);
  e

let two () =
  let e = E.K2.create () in
  let k1 = block 1 and k2 = ref (block 2) in
  E.K2.set_key1 e k1;
  E.K2.set_key2 e !k2;
  E.K2.set_data e (block 3);
  Gc.full_major ();
  state "k2 both" (E.K2.check_data e);
  k2 := block 0;
  Gc.full_major ();
  state "k2 key1" (E.K2.check_key1 e);
  state "k2 key2" (E.K2.check_key2 e);
  state "k2 data" (E.K2.check_data e);
  ignore (Sys.opaque_identity (k1, k2))

let several () =
  let e = E.Kn.create 50 in
  let keys = Array.init 50 block in
  Array.iteri (fun i k -> E.Kn.set_key e i k) keys;
  E.Kn.set_data e (block 99);
  Gc.full_major ();
  state "kn all" (E.Kn.check_data e);
  E.Kn.unset_key e 49;
  keys.(49) <- block 0;
  Gc.full_major ();
  state "kn unset" (E.Kn.check_data e);
  keys.(20) <- block 0;
  Gc.full_major ();
  state "kn dead" (E.Kn.check_data e);
  let copy = E.Kn.create 50 in
  E.Kn.blit_key e 0 copy 5 30;
  Printf.printf "%b %b %b\n" (E.Kn.check_key copy 4) (E.Kn.check_key copy 5) (E.Kn.check_key copy 25);
  ignore (Sys.opaque_identity keys)

(* The data of each is the key of the next; made in an order that is neither up nor down. *)
let chain n =
  let keys = Array.init (n + 1) block in
  let step = 7919 in
  let chain = Array.init n (fun i ->
    let j = i * step mod n in
    let e = E.K1.create () in
    E.K1.set_key e keys.(j);
    E.K1.set_data e keys.(j + 1);
    e) in
  let first = ref keys.(0) in
  Array.fill keys 0 (n + 1) !first;
  Gc.full_major ();
  let full () = Array.fold_left (fun c e -> if E.K1.check_data e then c + 1 else c) 0 chain in
  Printf.printf "chain %d\n" (full ());
  Array.fill keys 0 (n + 1) (block 0);
  first := block 0;
  Gc.full_major ();
  Printf.printf "chain %d\n" (full ());
  ignore (Sys.opaque_identity (keys, first))

let moved_data () =
  let a = E.K1.create () and b = E.K1.create () in
  let k = block 1 in
  E.K1.set_key a k;
  E.K1.set_data a "payload";
  E.K1.blit_key a b;
  E.K1.blit_data a b;
  E.K1.unset_data a;
  Gc.full_major ();
  state "moved from" (E.K1.check_data a);
  Printf.printf "%s\n" (match E.K1.get_data b with Some s -> s | None -> "-");
  (match E.K1.get_key_copy b with Some c -> Printf.printf "%d %b\n" !c (c == k) | None -> print_endline "-");
  (match E.K1.get_data_copy b with Some c -> print_endline c | None -> print_endline "-");
  E.K1.unset_key b;
  state "unset key" (E.K1.check_key b);
  state "data stays" (E.K1.check_data b);
  ignore (Sys.opaque_identity k)

let () =
  one (); one_dead ();
  let e = own_key_in_data () in
  Gc.full_major ();
  state "cyclic dead" (E.K1.check_data e);
  two (); several (); chain 2000; moved_data ()
