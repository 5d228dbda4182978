(* ocaml5: no: the real 5.3 crashes when memory for a dummy cannot be had *)
external alloc_dummy : int -> Obj.t = "caml_alloc_dummy"
external alloc_dummy_float : int -> Obj.t = "caml_alloc_dummy_float"
external alloc_dummy_function : int -> int -> Obj.t = "caml_alloc_dummy_function"
external update_dummy : Obj.t -> Obj.t -> unit = "caml_update_dummy"

type tree = Leaf of int | Node of { left : tree; right : tree; depth : int }
type pair = { a : float; b : float }
type mixed = { name : string; next : mixed; f : int -> int; l : int Lazy.t }

let attempt f = try f () with Out_of_memory -> "Out_of_memory"

let () =
  let d = alloc_dummy 2 in
  Printf.printf "%d %d\n" (Obj.tag d) (Obj.size d);
  let list = Obj.repr (1 :: Obj.obj d) in
  update_dummy d list;
  let l : int list = Obj.obj d in
  assert (List.tl l == l);
  let d = alloc_dummy 700 in
  Gc.full_major ();
  update_dummy d (Obj.repr (Array.init 700 string_of_int));
  Gc.minor ();
  Printf.printf "%s\n" (Obj.obj d : string array).(699);
  let d = alloc_dummy_float 2 in
  update_dummy d (Obj.repr { a = 1.5; b = 2.5 });
  Printf.printf "%d %g %g\n" (Obj.tag d) (Obj.obj d).a (Obj.obj d).b;
  let d = alloc_dummy_float 400 in
  update_dummy d (Obj.repr (Array.init 400 float_of_int));
  Gc.full_major ();
  Printf.printf "%g\n" (Obj.obj d : float array).(399);
  let k = Random.int 1 + 3 in
  let f = fun x -> x + k in
  let d = alloc_dummy_function (Obj.size (Obj.repr f)) 1 in
  update_dummy d (Obj.repr f);
  Printf.printf "%d %d\n" (Obj.tag d) ((Obj.obj d : int -> int) 4);
  update_dummy (alloc_dummy 0) (Obj.repr [||]);
  let d = alloc_dummy 1 in
  update_dummy d (Obj.repr (lazy (k * 7)));
  Printf.printf "%d\n" (Lazy.force (Obj.obj d));
  print_endline (attempt (fun () -> ignore (alloc_dummy (1 lsl 54)); "made"));
  print_endline (attempt (fun () -> ignore (alloc_dummy_float max_int); "made"))

let () =
  let k = Random.int 1 + 2 in
  let rec t = Node { left = Leaf k; right = t; depth = 1 + k } in
  (match t with Node { right; depth; _ } -> assert (right == t); print_int depth | Leaf _ -> ());
  let rec m = { name = String.make 2 'm'; next = n; f = (fun x -> if x = 0 then k else n.f (x - 1)); l = lazy (n.f 3) }
  and n = { name = "n"; next = m; f = (fun x -> if x = 0 then -k else m.f (x - 1)); l = lazy (Lazy.force m.l + 1) } in
  Printf.printf " %s %s %d %d %d %d\n" m.next.name m.next.next.name (m.f 5) (n.f 4) (Lazy.force m.l) (Lazy.force n.l);
  let rec even x = x = 0 || odd (x - 1)
  and odd x = x <> 0 && even (x - 1)
  and both = (even, odd, k)
  and list = [ even; odd ] in
  let e, o, _ = both in
  Printf.printf "%b %b %b\n" (e 10) (o 10) (List.nth list 1 7);
  let rec floats = { a = 1.; b = float_of_int k } and user = (floats, fun () -> floats.b) in
  Printf.printf "%g %g\n" (fst user).b (snd user ());
  Gc.compact ();
  Printf.printf "%b %d\n" (m.next.next == m) (m.f 100)

module rec Even : sig
  val test : int -> bool
  val lazily : bool Lazy.t
  class c : object method next : int -> bool end
end = struct
  let test n = n = 0 || Odd.test (n - 1)
  let lazily = lazy (Odd.test 3)
  class c = object method next n = Odd.test n end
end
and Odd : sig val test : int -> bool end = struct
  let test n = n <> 0 && Even.test (n - 1)
end

module rec Bad : sig val v : int val f : unit -> int end = struct
  let f () = 1
  let v = try Worse.f () with Undefined_recursive_module (file, line, _) -> Printf.printf "%s %d\n" (Filename.basename file) line; -1
end
and Worse : sig val f : unit -> int end = struct
  let f () = Bad.v
end

let () = Printf.printf "%b %b %b %d %d\n" (Even.test 10) (Lazy.force Even.lazily) ((new Even.c)#next 7) Bad.v (Worse.f ())
