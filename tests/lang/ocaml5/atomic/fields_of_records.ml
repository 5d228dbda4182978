(* ocaml: 5.4 *)
(* Atomic fields of records, and the primitives on any field. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
type t = { name : string; mutable count : int [@atomic]; mutable last : string list [@atomic] }
external load : Obj.t -> int -> Obj.t = "caml_atomic_load_field"
external exchange : Obj.t -> int -> Obj.t -> Obj.t = "caml_atomic_exchange_field"
external cas : Obj.t -> int -> Obj.t -> Obj.t -> bool = "caml_atomic_cas_field"
external fetch_add : Obj.t -> int -> int -> int = "caml_atomic_fetch_add_field"
let () =
  let r = { name = "r"; count = 1; last = [] } in
  r.count <- 2;
  p "%d %s" r.count r.name;
  Atomic.Loc.incr [%atomic.loc r.count];
  p "%d" (Atomic.Loc.fetch_and_add [%atomic.loc r.count] 40);
  p "%d" (Atomic.Loc.exchange [%atomic.loc r.count] 7);
  let l = r.last in
  p "%b %b" (Atomic.Loc.compare_and_set [%atomic.loc r.last] l [ "a" ]) (Atomic.Loc.compare_and_set [%atomic.loc r.last] l [ "b" ]);
  p "%s" (String.concat "," r.last);
  let b = Obj.repr (1, "two", [ 3 ]) in
  p "%d %s" (Obj.obj (load b 0)) (Obj.obj (exchange b 1 (Obj.repr "deux")));
  p "%b %b %d %d" (cas b 2 (Obj.repr [ 3 ]) (Obj.repr [])) (cas b 1 (load b 1) (Obj.repr "zwei")) (fetch_add b 0 9) (Obj.obj (load b 0));
  let all = Array.init 1000 (fun i -> { name = ""; count = i; last = [] }) in
  Gc.full_major ();
  Array.iteri (fun i r -> r.last <- [ string_of_int i ]) all;
  Gc.minor ();
  Array.iteri (fun i r -> assert (Atomic.Loc.compare_and_set [%atomic.loc r.last] r.last (string_of_int i :: r.last))) all;
  Gc.full_major ();
  p "%d" (Array.fold_left (fun s r -> s + List.fold_left (fun s x -> s + int_of_string x) 0 r.last) 0 all);
  let a = Atomic.make 1 in
  Atomic.set a 2; Atomic.incr a;
  p "%d %d %b %d" (Atomic.get a) (Atomic.exchange a 5) (Atomic.compare_and_set a 5 6) (Atomic.fetch_and_add a 1);
  p "%d %d" (Atomic.get (Atomic.make_contended 9)) (Obj.size (Obj.repr (Atomic.make_contended 9)))
