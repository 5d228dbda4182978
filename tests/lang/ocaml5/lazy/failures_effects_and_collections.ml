(* flags: -w -a *)
(* Lazy values that fail, wait for an effect, contain each other, or are short-cut by a collection. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with s -> p "%s: %s" n s | exception e -> p "%s: %s" n (Printexc.to_string e)
let i = string_of_int
let () =
  let rec l = lazy (1 + Lazy.force l) in t "undefined" (fun () -> i (Lazy.force l));
  t "again" (fun () -> i (Lazy.force l)); let c = ref 0 in
  let l = lazy (incr c; if !c < 3 then failwith "not yet" else 7) in t "1" (fun () -> i (Lazy.force l));
  t "2" (fun () -> i (Lazy.force l)); t "3" (fun () -> i (Lazy.force l)); p "%d" !c;
  let l = Lazy.from_fun (fun () -> [| 1.; 2. |]) in p "%b" (Lazy.is_val l); p "%g" (Lazy.force l).(1);
  p "%b" (Lazy.is_val l);
  let m = Lazy.map (fun a -> Array.length a) l in p "%b %d" (Lazy.is_val m) (Lazy.force m);
  let m = Lazy.map_val (fun a -> Array.length a) l in p "%b" (Lazy.is_val m);
  let v = Lazy.from_val 3 in p "%b %d" (Lazy.is_val v) (Lazy.force v);
  let rec ones = lazy (Seq.Cons (1, fun () -> Lazy.force ones)) in p "%d" (Seq.fold_left ( + ) 0 (Seq.take 5 (fun () -> Lazy.force ones)));
  (match lazy (p "forced"; (1, 2)) with lazy (a, b) -> p "%d" (a + b));
  let f (lazy x) (lazy y) = x + y in p "%d" (f (lazy 1) (lazy 2));
  let l = lazy (lazy 5) in p "%d" (Lazy.force (Lazy.force l)); let l = lazy 1.5 in p "%g" (Lazy.force l);
  let l = lazy (Sys.opaque_identity 1.5) in p "%g %d" (Lazy.force l) (Obj.tag (Obj.repr l)); Gc.full_major ();
  p "%g" (Lazy.force l);
  let module M = struct let rec a = lazy (Lazy.force b + 1) and b = lazy 10 end in p "%d" (Lazy.force M.a);
  let open Effect in let module E = struct type _ Effect.t += X : int Effect.t end in
  let l = lazy (perform E.X + 1) in t "effect" (fun () -> i (Deep.try_with (fun () -> Lazy.force l) () { Deep.effc = fun (type c) (e : c Effect.t) -> match e with E.X -> Some (fun (k : (c, int) Deep.continuation) -> Deep.continue k 5) | _ -> None }));
  p "%b" (Lazy.is_val l); let k0 : (int, unit) Deep.continuation option ref = ref None in
  let l = lazy (perform E.X + 1) in Deep.match_with (fun () -> ignore (Lazy.force l)) () { Deep.retc = Fun.id; exnc = raise; effc = fun (type c) (e : c Effect.t) -> match e with E.X -> Some (fun (k : (c, unit) Deep.continuation) -> k0 := Some k) | _ -> None };
  t "suspended" (fun () -> i (Lazy.force l)); (match !k0 with Some k -> Deep.continue k 8 | None -> ());
  t "then" (fun () -> i (Lazy.force l));
  let a = Array.init 1000 (fun i -> lazy (string_of_int i)) in Array.iter (fun l -> ignore (Lazy.force l)) a;
  Gc.full_major (); p "%d" (Array.fold_left (fun s l -> s + String.length (Lazy.force l)) 0 a)
