(* ocaml5: no: it has no Obj.truncate *)
let repr = Obj.repr
let attempt f = try f () with
  | Invalid_argument m -> "Invalid_argument " ^ m
  | Out_of_memory -> "Out_of_memory"
let show f = print_endline (attempt f)

type constructors = A | B of int | C of int * string | D of { x : float; y : float }
type floats = { u : float; v : float }
exception E of int

let add x y = x + y
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)
let make_even k =
  let rec even n = if n = 0 then k else odd (n - 1)
  and odd n = if n = 0 then -k else even (n - 1) in
  even, odd

let samples =
  let loop = let rec l = 1 :: 2 :: l in l in
  let e, o = make_even 5 in
  [ "int", repr 5; "unit", repr (); "A", repr A; "B", repr (B 1); "C", repr (C (1, "s")); "D", repr (D { x = 1.; y = 2. });
    "string", repr (String.make 9 'x'); "empty string", repr (String.make 0 'x'); "bytes", repr (Bytes.make 16 'x');
    "float", repr (sqrt 2.); "floats", repr { u = sqrt 2.; v = sqrt 3. }; "float array", repr (Array.make 5 1.);
    "empty array", repr [||]; "array", repr (Array.make 5 "q"); "big array", repr (Array.make 1000 (ref 1));
    "int32", repr (Int32.of_int 5); "int64", repr (Int64.of_int 5); "nativeint", repr (Nativeint.of_int 5);
    "function", repr add; "partial", repr (add 1); "even", repr even; "lazy", repr (lazy (print_int 1));
    "lazy constant", repr (lazy 3); "exception", repr (E 3); "not found", repr Not_found; "cycle", repr loop;
    "object", repr (object method m = 1 val x = 2 end); "list", repr (List.init 1000 string_of_int);
    "tuple", repr (1, 2., "3"); "variant", repr (`Poly 3); "inner even", repr e; "inner odd", repr o;
    "shared", repr (let s = String.make 3 's' in s, s, [ s ]) ]

let describe name v =
  Printf.printf "%s: tag %d" name (Obj.tag v);
  if Obj.is_block v then Printf.printf " size %d" (Obj.size v);
  if name <> "object" then Printf.printf " reachable %d" (Obj.reachable_words v);
  print_newline ()

let () =
  List.iter (fun (name, v) -> describe name v) samples;
  List.iter (fun (name, v) ->
      if Obj.is_block v && Obj.tag v <> Obj.infix_tag then begin
        let copy = Obj.dup v in
        Printf.printf "%s: copied %b %d %d\n" name (copy == v) (Obj.tag copy) (Obj.size copy)
      end)
    samples;
  let f = (Obj.obj (Obj.dup (repr (add 1))) : int -> int) in
  print_int (f 41); print_newline ();
  let with_tag t v = let c = Obj.with_tag t (repr v) in describe "tagged" c; c in
  assert (Obj.obj (with_tag 0 (B 3)) = B 3);
  (match Obj.obj (with_tag 1 (1, "s")) with C (n, s) -> Printf.printf "%d %s\n" n s | _ -> assert false);
  ignore (with_tag 5 [||]); ignore (with_tag 246 (ref 1)); ignore (with_tag 9 (Array.make 700 "x"));
  ignore (with_tag Obj.string_tag "abc")

let () =
  let block tag n = show (fun () ->
      let b = Obj.new_block tag n in
      Printf.sprintf "%d %d" (Obj.tag b) (Obj.size b)) in
  List.iter (fun n -> block 0 n; block 3 n; block 245 n) [ 0; 1; 256; 257; 1 lsl 54 ];
  block Obj.lazy_tag 1; block Obj.object_tag 2; block Obj.forward_tag 1; block Obj.double_tag 1;
  block Obj.double_array_tag 10; block Obj.string_tag 3; block Obj.abstract_tag 4; block Obj.closure_tag 2;
  block Obj.closure_tag 1; block Obj.closure_tag 0; block Obj.string_tag 0; block Obj.custom_tag 2;
  let fresh = Obj.new_block 0 4 in
  Printf.printf "%d %d\n" (Obj.obj (Obj.field fresh 0)) (Obj.obj (Obj.field fresh 3));
  print_int (String.length (Obj.obj (Obj.new_block Obj.string_tag 2))); print_newline ()

let () =
  let v = repr (1, "two", 3.5, [ 4 ]) in
  Obj.truncate v 2;
  Printf.printf "%d %d %s\n" (Obj.size v) (Obj.obj (Obj.field v 0)) (Obj.obj (Obj.field v 1));
  let a = Array.init 1000 (fun i -> string_of_int i) in
  Gc.full_major ();
  a.(900) <- String.make 3 'y';
  Obj.truncate (repr a) 10;
  Gc.minor ();
  Gc.full_major ();
  print_endline (String.concat " " (Array.to_list a));
  let f = Array.init 100 float_of_int in
  Obj.truncate (repr f) 3;
  print_endline (String.concat " " (List.map string_of_float (Array.to_list f)));
  List.iter (fun n -> show (fun () -> Obj.truncate (repr (ref 1)) n; "truncated")) [ 0; 1; 2; -1; max_int ];
  let b = repr (ref "x") in
  Obj.set_tag b 3;
  Printf.printf "%d\n" (Obj.tag b);
  (* Any collection may replace a forward block by what it holds: none can happen here. *)
  Obj.set_tag b Obj.forward_tag;
  let tag = Obj.tag b in
  let content : string = Lazy.force (Obj.obj b) in
  Obj.set_tag b 3;
  Printf.printf "%d %s\n" tag content;
  Obj.set_field b 0 (repr "y");
  Obj.set_field (repr f) 0 (repr 9.5);
  Printf.printf "%s %g\n" (Obj.obj (Obj.field b 0)) (Obj.obj (Obj.field (repr f) 0));
  Printf.printf "%g\n" (Obj.double_field (repr f) 1);
  Obj.set_double_field (repr f) 1 0.25;
  Printf.printf "%g\n" f.(1)

let () =
  let closure_info f =
    let i = Obj.Closure.info (repr f) in
    Printf.printf "arity %d environment at %d\n" i.Obj.Closure.arity i.Obj.Closure.start_env in
  let k = Random.int 1 in
  closure_info (fun x -> x); closure_info (fun x y -> x + y + k); closure_info (add 1); closure_info (fun () -> k);
  let v = repr (5, -3) in
  Printf.printf "%nd %nd\n" (Obj.raw_field v 0) (Obj.raw_field v 1);
  Obj.set_raw_field v 0 15n;
  Printf.printf "%d\n" (Obj.obj (Obj.field v 0));
  Printf.printf "%nx\n" (Obj.raw_field (repr 1.0) 0);
  let x = repr (Sys.opaque_identity (1.0 +. float_of_int k)) in
  Obj.set_raw_field x 0 0x4000000000000000n;
  Printf.printf "%g\n" (Obj.obj x);
  let g = fun x -> x + k and h = fun x -> x * 2 + k in
  let code_g = Obj.raw_field (repr g) 0 and code_h = Obj.raw_field (repr h) 0 in
  Obj.set_raw_field (repr g) 0 code_h;
  print_int (g 21);
  Obj.set_raw_field (repr g) 0 code_g;
  print_int (g 21); print_newline ();
  let p = add 40 in
  let code_p = Obj.raw_field (repr p) 0 in
  Obj.set_raw_field (repr p) 0 (Obj.raw_field (repr (fun x -> x * 100)) 0);
  print_int (p 2);
  Obj.set_raw_field (repr p) 0 code_p;
  print_int (p 2); print_newline ();
  let start = repr (ref 3) in
  assert (Obj.add_offset start 0l == start)

(* The primitives under the lazy values, the objects and the exceptions. *)
external lazy_make_forward : 'a -> 'a Lazy.t = "caml_lazy_make_forward"
external obj_make_forward : Obj.t -> Obj.t -> unit = "caml_obj_make_forward"
external fresh_id : unit -> int = "caml_fresh_oo_id"
external set_id : Obj.t -> Obj.t = "caml_set_oo_id"

let () =
  let f = lazy_make_forward "v" in
  Printf.printf "%d %s\n" (Obj.tag (repr f)) (Lazy.force f);
  let g = lazy_make_forward 2.5 in
  Gc.full_major ();
  Printf.printf "%g %b\n" (Lazy.force g) (Lazy.is_val g);
  let suspension = lazy (failwith "never") in
  obj_make_forward (repr suspension) (repr "given");
  Printf.printf "%d %s\n" (Obj.tag (repr suspension)) (Lazy.force suspension);
  let a = fresh_id () in
  let b = fresh_id () in
  Printf.printf "%d\n" (b - a);
  let o = repr (object val y = 3 method m = y end) in
  let before : int = Obj.obj (Obj.field o 1) in
  assert (set_id o == o);
  Printf.printf "%b\n" (Obj.obj (Obj.field o 1) > before);
  let copy = Oo.copy (object val mutable y = 3 method m = y method set n = y <- n end) in
  copy#set 4;
  Printf.printf "%d %b\n" copy#m (Oo.id copy > before)
