(* stress: no: says what a collection clears *)
(* Tables with one, two and many keys, buckets, weak sets, chains of ephemerons, finalisers that revive. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
module H = struct type t = int ref let equal = ( == ) let hash r = Hashtbl.hash !r end
module E1 = Ephemeron.K1.Make (H) module E2 = Ephemeron.K2.Make (H) (H) module En = Ephemeron.Kn.Make (H)
let [@inline never] fill () =
  let t1 = E1.create 4 and t2 = E2.create 4 and tn = En.create 4 in let keep = Array.init 10 (fun i -> ref i) in
  for i = 0 to 9 do E1.add t1 keep.(i) (string_of_int i); E1.add t1 (ref (100 + i)) "dead";
  E2.add t2 (keep.(i), keep.((i + 1) mod 10)) i; E2.add t2 (keep.(i), ref i) (-1);
  En.add tn [| keep.(i); keep.(0); ref 5 |] i; En.add tn [| keep.(i) |] i done; t1, t2, tn, keep
let () =
  let t1, t2, tn, keep = fill () in Gc.full_major (); E1.clean t1; E2.clean t2; En.clean tn;
  p "%d %d %d" (E1.length t1) (E2.length t2) (En.length tn);
  p "%s %b" (E1.find t1 keep.(3)) (E1.mem t1 (ref 3)); p "%d" (E2.find t2 (keep.(2), keep.(3)));
  E1.replace t1 keep.(3) "new"; E1.remove t1 keep.(4); p "%s %b" (E1.find t1 keep.(3)) (E1.mem t1 keep.(4));
  let s = E1.stats t1 in p "%d" s.Hashtbl.num_bindings;
  let s = E1.stats_alive t1 in p "%d" s.Hashtbl.num_bindings;
  p "%s" (match E1.find_opt t1 keep.(9) with Some s -> s | None -> "none"); ignore (Sys.opaque_identity keep);
  let k = ref 1 in let e = Ephemeron.K1.make k (ref 2) in p "%b" (Ephemeron.K1.query e k <> None);
  p "%b" (Ephemeron.K1.query e (ref 1) = None);
  let b = Ephemeron.K1.Bucket.make () in Ephemeron.K1.Bucket.add b k "x"; Ephemeron.K1.Bucket.add b k "y";
  p "%s" (match Ephemeron.K1.Bucket.find b k with Some s -> s | None -> "-"); Ephemeron.K1.Bucket.remove b k;
  p "%s %d" (match Ephemeron.K1.Bucket.find b k with Some s -> s | None -> "-") (Ephemeron.K1.Bucket.length b);
  Ephemeron.K1.Bucket.clear b; p "%d" (Ephemeron.K1.Bucket.length b);
  let w = Weak.create 5 in Weak.fill w 0 5 (Some (ref 7)); p "%b" (Weak.check w 4);
  let c = Weak.get_copy w 0 in p "%b" (c <> None); Gc.full_major (); p "%b" (Weak.check w 4);
  let module W = Weak.Make (struct type t = string let equal = String.equal let hash = Hashtbl.hash end) in
  let t = W.create 3 in let a = String.concat "" [ "a"; "b" ] in
  let a' = W.merge t a in p "%b %b" (a == a') (W.merge t (String.concat "" [ "ab" ]) == a);
  for i = 1 to 100 do W.add t (string_of_int i) done; Gc.full_major (); p "%d %b" (W.count t) (W.mem t "ab");
  p "%s" (W.find t "ab"); let (len, n, _, _, _, _) = W.stats t in p "%b" (n = 1);
  (try Weak.set w 5 None with e -> p "%s" (Printexc.to_string e));
  (try Weak.blit w 3 w 0 5 with e -> p "%s" (Printexc.to_string e));
  (try ignore (Weak.create (-1)) with e -> p "%s" (Printexc.to_string e)); ignore (Sys.opaque_identity a)
let () = (* chains of ephemerons: data of one is the key of the next *)
  let n = 100 in let first = ref 0 in let es = Array.make n (Obj.magic 0) in
  let rec go k i = if i < n then (let d = ref i in es.(i) <- Ephemeron.K1.make k d; go d (i + 1)) in go first 0;
  Gc.full_major ();
  let rec walk k i = if i = n then i else match Ephemeron.K1.query es.(i) k with None -> i | Some d -> walk d (i + 1) in p "%d" (walk first 0);
  ignore (Sys.opaque_identity first); Gc.full_major ();
  let order = ref [] in (let v = ref 1 in Gc.finalise (fun _ -> order := "f1" :: !order) v; Gc.finalise (fun _ -> order := "f2" :: !order) v; Gc.finalise_last (fun () -> order := "last" :: !order) v);
  Gc.full_major (); Gc.full_major (); p "%s" (String.concat " " (List.rev !order));
  (try Gc.finalise ignore 3 with e -> p "%s" (Printexc.to_string e));
  (try Gc.finalise_last ignore 3 with e -> p "%s" (Printexc.to_string e));
  let r = ref None in (let v = ref 5 in Gc.finalise (fun v -> r := Some v) v); Gc.full_major ();
  p "%s" (match !r with Some v -> string_of_int !v | None -> "none");
  let exn = (let v = ref 5 in Gc.finalise (fun v -> failwith "in finaliser") v; try Gc.full_major (); "none" with Failure s -> s) in p "%s" exn
