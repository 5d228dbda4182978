(* The primitives behind module Atomic, declared as externals. *)
external load : 'a Atomic.t -> 'a = "caml_atomic_load"
external exchange : 'a Atomic.t -> 'a -> 'a = "caml_atomic_exchange"
external cas : 'a Atomic.t -> 'a -> 'a -> bool = "caml_atomic_cas"
external fetch_add : int Atomic.t -> int -> int = "caml_atomic_fetch_add"
external contended : 'a -> 'a Atomic.t = "caml_atomic_make_contended"
external shared : 'a -> bool = "caml_obj_is_shared"
external swap : Obj.t -> int -> Obj.t -> Obj.t -> bool = "caml_obj_compare_and_swap"
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let a = Atomic.make 1 in
  say "%d %d %d" (load a) (exchange a 2) (load a);
  say "%b %b %d" (cas a 2 3) (cas a 2 4) (load a);
  say "%d %d" (fetch_add a min_int) (load a - min_int);
  say "%s" (load (contended "c"));
  let apply = List.map (fun f -> f a) [load; (fun a -> exchange a 40); (fun a -> fetch_add a 2); load] in
  say "%b %s" (List.hd apply < 0) (String.concat " " (List.map string_of_int (List.tl apply)));
  say "%b" (shared 3);
  let r = ref 5 in Gc.full_major (); say "%b" (shared r);
  let b = Obj.repr [| 10; 20; 30 |] in
  say "%b %b" (swap b 1 (Obj.repr 20) (Obj.repr 21)) (swap b 1 (Obj.repr 20) (Obj.repr 22));
  say "%d %d %d" (Obj.obj (Obj.field b 0)) (Obj.obj (Obj.field b 1)) (Obj.obj (Obj.field b 2));
  let s = "old" in
  let c = Obj.repr [| s |] in
  say "%b %b %s" (swap c 0 (Obj.repr (String.concat "" ["old"])) (Obj.repr "no")) (swap c 0 (Obj.repr s) (Obj.repr "new")) (Obj.obj (Obj.field c 0))
