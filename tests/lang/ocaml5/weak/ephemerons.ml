(* stress: no: says what a collection clears *)
(* The ephemerons of OCaml 5 are made with key and data. *)
module K1 = Ephemeron.K1
module K2 = Ephemeron.K2
module Kn = Ephemeron.Kn
let say fmt = Printf.printf (fmt ^^ "\n")
let query = function Some s -> s | None -> "none"
let () =
  let k = ref 1 and k' = ref 2 in
  let e = K1.make k "data" in
  say "%s %s" (query (K1.query e k)) (query (K1.query e k'));
  let e2 = K2.make k k' "both" in say "%s %s" (query (K2.query e2 k k')) (query (K2.query e2 k' k));
  let en = Kn.make [| k; k'; k |] "many" in say "%s %s" (query (Kn.query en [| k; k'; k |])) (query (Kn.query en [| k; k' |]));
  let b = K1.Bucket.make () in
  K1.Bucket.add b k "x"; K1.Bucket.add b k' "y"; K1.Bucket.add b k "z";
  say "%d %s" (K1.Bucket.length b) (query (K1.Bucket.find b k)); K1.Bucket.remove b k; say "%d %s" (K1.Bucket.length b) (query (K1.Bucket.find b k));
  K1.Bucket.clear b; say "%d" (K1.Bucket.length b);
  let module H = K1.Make (struct type t = int ref let equal = ( == ) let hash r = Hashtbl.hash !r end) in
  let h = H.create 10 in
  let keys = List.init 50 (fun i -> ref i) in
  List.iter (fun r -> H.add h r (string_of_int !r)) keys;
  let[@inline never] more () = for i = 100 to 149 do H.add h (ref i) "dead" done in more ();
  Gc.full_major (); H.clean h;
  say "%d" (H.length h); say "%s %b" (query (H.find_opt h (List.nth keys 7))) (H.mem h (ref 7));
  H.replace h (List.hd keys) "new"; H.remove h (List.nth keys 1); say "%d %s" (H.length h) (H.find h (List.hd keys));
  let stats = H.stats_alive h in say "%d" stats.Hashtbl.num_bindings;
  let[@inline never] cyclic () = let r = ref [] in let e = K1.make r [r] in (e, Weak.create 1 |> fun w -> Weak.set w 0 (Some r); w) in
  let e, w = cyclic () in Gc.full_major (); say "%b" (Weak.check w 0); ignore (Sys.opaque_identity e);
  ignore (Sys.opaque_identity (keys, k, k'))
