(* ocaml: 5.4 *)
(* let rec of lazy values: caml_alloc_dummy_lazy, caml_update_dummy_lazy. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
external alloc : unit -> Obj.t = "caml_alloc_dummy_lazy"
external update : Obj.t -> Obj.t -> unit = "caml_update_dummy_lazy"
let describe v = if Obj.is_int v then Printf.sprintf "int %d" (Obj.obj v) else Printf.sprintf "tag %d size %d" (Obj.tag v) (Obj.size v)
let () =
  let d = alloc () in
  p "dummy: %s, %s" (describe d) (if Obj.size d > 0 then describe (Obj.field d 0) else "");
  List.iter (fun (name, v) ->
      attempt name (fun () ->
        let d = alloc () in
        update d v;
        let tag = Obj.tag d and size = Obj.size d and content = Obj.field d 0 in (* a collection may replace d by its content *)
        Printf.sprintf "tag %d size %d, field %s, the value %b, its field %b" tag size (describe content) (content == v)
          (Obj.is_block v && Obj.size v > 0 && Obj.tag v < 251 && content == Obj.field v 0)))
    [ "int", Obj.repr 5; "string", Obj.repr "x"; "tuple", Obj.repr (1, 2); "lazy", Obj.repr (lazy (print_string ""));
      "forward", Obj.repr (Lazy.from_val 1.5); "float", Obj.repr 2.5; "floats", Obj.repr [| 1.5 |]; "forcing", Obj.with_tag (Sys.opaque_identity 244) (Obj.repr (ref 1));
      "closure", Obj.repr (fun x -> x); "atom", Obj.repr [||]; "int64", Obj.repr 5L ];
  let rec a = lazy (1 :: Lazy.force b) and b = lazy [ 2 ] in
  p "%d" (List.length (Lazy.force a));
  let rec ones = lazy (`Cons (1, ones)) in
  (match Lazy.force ones with `Cons (x, r) -> p "%d %b" x (r == ones));
  let rec self = lazy (Lazy.force self + 1) in
  attempt "self" (fun () -> string_of_int (Lazy.force self));
  let rec x = lazy (match y with lazy n -> n + 1) and y = lazy (match z with lazy n -> n * 2) and z = Lazy.from_val 20 in
  p "%d %d %d" (Lazy.force x) (Lazy.force y) (Lazy.force z);
  let rec e = lazy (if Lazy.is_val e then 1 else failwith "once") in
  attempt "exception" (fun () -> string_of_int (Lazy.force e));
  attempt "exception" (fun () -> string_of_int (Lazy.force e));
  let streams = List.init 2000 (fun i -> let rec s = lazy (`Cons (i, t)) and t = lazy (`Cons (-i, s)) in s) in
  Gc.full_major ();
  let sum = List.fold_left (fun acc s -> let rec go n s = if n = 0 then 0 else match Lazy.force s with `Cons (x, r) -> x + go (n - 1) r in acc + go 5 s) 0 streams in
  p "%d" sum
