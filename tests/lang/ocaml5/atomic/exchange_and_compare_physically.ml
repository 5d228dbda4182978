(* Atomic: every operation on integers, floats and blocks; comparison is physical; the primitives on blocks of several fields. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
external cas : Obj.t -> int -> Obj.t -> Obj.t -> int = "caml_obj_compare_and_swap"
external is_shared : Obj.t -> bool = "caml_obj_is_shared"
external load : 'a Atomic.t -> 'a = "caml_atomic_load"
external exchange : 'a Atomic.t -> 'a -> 'a = "caml_atomic_exchange"
external compare_exchange : 'a Atomic.t -> 'a -> 'a -> bool = "caml_atomic_cas"
external fetch_add : int Atomic.t -> int -> int = "caml_atomic_fetch_add"
external make_contended : 'a -> 'a Atomic.t = "caml_atomic_make_contended"

let () =
  let a = Atomic.make 5 in
  p "get %d" (Atomic.get a);
  Atomic.set a 6;
  p "exchange %d then %d" (Atomic.exchange a 7) (Atomic.get a);
  p "cas %b %b then %d" (Atomic.compare_and_set a 6 8) (Atomic.compare_and_set a 7 9) (Atomic.get a);
  p "add %d %d" (Atomic.fetch_and_add a 10) (Atomic.fetch_and_add a (-30));
  Atomic.incr a; Atomic.incr a; Atomic.decr a;
  p "now %d" (Atomic.get a);
  Atomic.set a max_int;
  p "wraps %d to %d" (Atomic.fetch_and_add a 1) (Atomic.get a);
  Atomic.set a min_int;
  p "wraps %d to %d" (Atomic.fetch_and_add a min_int) (Atomic.get a)

let () =
  let f = Atomic.make 1.5 in
  p "equal floats differ: %b" (Atomic.compare_and_set f 1.5 2.5);
  let v = Atomic.get f in
  p "the same float: %b, %g" (Atomic.compare_and_set f v 2.5) (Atomic.get f);
  let s = Atomic.make "abc" in
  p "equal strings differ: %b" (Atomic.compare_and_set s (String.make 1 'a' ^ "bc") "x");
  let b = Atomic.get s in
  p "the same string: %b %s" (Atomic.compare_and_set s b "x") (Atomic.get s);
  p "representation: tag %d size %d" (Obj.tag (Obj.repr s)) (Obj.size (Obj.repr s))

(* Old atomics keep young values alive, and the other way round. *)
let () =
  let old = Array.init 300 (fun i -> Atomic.make [ i ]) in
  Gc.full_major ();
  Array.iteri (fun i a -> ignore (Atomic.exchange a [ i; i + 1 ])) old;
  Gc.minor ();
  Array.iteri (fun i a -> assert (Atomic.get a = [ i; i + 1 ])) old;
  Array.iteri (fun i a -> let l = Atomic.get a in assert (Atomic.compare_and_set a l (i :: l))) old;
  Gc.minor ();
  ignore (Array.init 10000 (fun i -> [ i ]));
  Gc.full_major ();
  Array.iteri (fun i a -> assert (Atomic.get a = [ i; i; i + 1 ])) old;
  let stack = Atomic.make [] in
  for i = 1 to 20000 do
    let rec push () = let l = Atomic.get stack in if not (Atomic.compare_and_set stack l (i :: l)) then push () in
    push ()
  done;
  p "pushed %d, sum %d" (List.length (Atomic.get stack)) (List.fold_left ( + ) 0 (Atomic.get stack))

(* The primitives themselves, and over-application of what they return. *)
let () =
  let a = make_contended (fun x -> x + 1) in
  p "contended %d" ((load a) 1);
  p "contended %d" ((exchange a (fun x -> x * 2)) 10);
  p "contended %d" ((load a) 21);
  let f = load a in
  p "cas %b %b" (compare_exchange a f (fun x -> x)) (compare_exchange a f (fun x -> x));
  let n = make_contended 3 in
  p "fetch_add %d %d" (fetch_add n 4) (load n);
  p "tag of contended %d" (Obj.tag (Obj.repr n))

let () =
  let block = Obj.repr (1, "two", 3.0) in
  let two = Obj.field block 1 in
  p "field 0: %d %d" (cas block 0 (Obj.repr 2) (Obj.repr 7)) (cas block 0 (Obj.repr 1) (Obj.repr 7));
  p "field 1: %d %d" (cas block 1 (Obj.repr (String.make 2 't')) (Obj.repr "no")) (cas block 1 two (Obj.repr "second"));
  let (x, y, z) : int * string * float = Obj.obj block in
  p "%d %s %g" x y z;
  let young = Obj.repr (ref 0) in
  p "shared: int %b, young %b" (is_shared (Obj.repr 3)) (is_shared young);
  Gc.full_major ();
  p "shared: old %b" (is_shared young)

