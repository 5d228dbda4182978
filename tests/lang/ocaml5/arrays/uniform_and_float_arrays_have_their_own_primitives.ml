(* caml_array_make, caml_uniform_array_* and caml_floatarray_*: results, representation and errors. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
external make : int -> 'a -> 'a array = "caml_array_make"
external create_float : int -> float array = "caml_array_create_float"
external of_uniform : 'a array -> 'a array = "caml_array_of_uniform_array"
external umake : int -> 'a -> 'a array = "caml_uniform_array_make"
external ufill : 'a array -> int -> int -> 'a -> unit = "caml_uniform_array_fill"
external usub : 'a array -> int -> int -> 'a array = "caml_uniform_array_sub"
external uappend : 'a array -> 'a array -> 'a array = "caml_uniform_array_append"
external ublit : 'a array -> int -> 'a array -> int -> int -> unit = "caml_uniform_array_blit"
external fmake : int -> float -> floatarray = "caml_floatarray_make"
external ffill : floatarray -> int -> int -> float -> unit = "caml_floatarray_fill"
external fsub : floatarray -> int -> int -> floatarray = "caml_floatarray_sub"
external fappend : floatarray -> floatarray -> floatarray = "caml_floatarray_append"
external old_make : int -> 'a -> 'a array = "caml_make_vect"
external old_float : int -> float array = "caml_make_float_vect"
external old_array : 'a array -> 'a array = "caml_make_array"
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let tag x = Obj.tag (Obj.repr x)
let size x = Obj.size (Obj.repr x)
let floats a = String.concat " " (List.map string_of_float (Float.Array.to_list a))
let boxed (a : float array) = String.concat " " (List.init (size a) (fun i -> string_of_float (Obj.obj (Obj.field (Obj.repr a) i))))

let sizes = [ 0; 1; 2; 255; 256; 257; 1000 ]
let () =
  List.iter (fun n ->
      p "%d: %d %d %d %d %d" n (tag (make n 1.5)) (tag (umake n 1.5)) (tag (fmake n 1.5)) (tag (create_float n)) (tag (make n "s"));
      p "%d: %d %d %d" n (size (make n 1.5)) (size (umake n 1.5)) (size (fmake n 1.5));
      let u = umake n (float_of_int n) in
      for i = 0 to n - 1 do if i mod 2 = 0 then Obj.set_field (Obj.repr u) i (Obj.repr (float_of_int i)) done;
      let a = of_uniform u in
      p "of_uniform: tag %d sum %g" (tag a) (Array.fold_left ( +. ) 0. a);
      let twice = uappend u u in
      p "append: tag %d size %d" (tag twice) (size twice);
      let part = usub twice (n / 2) n in
      p "sub: tag %d size %d sum %g" (tag part) (size part) (Array.fold_left ( +. ) 0. (of_uniform part));
      ufill twice 0 n 0.25;
      ublit part 0 twice (n / 3) (n / 2);
      p "fill, blit: %g" (Array.fold_left ( +. ) 0. (of_uniform twice));
      Gc.minor ();
      p "later: %g" (Array.fold_left ( +. ) 0. (of_uniform twice));
      let f = fmake n 2.5 in
      ffill f (n / 2) (n - n / 2) 1.;
      let g = fappend f (fsub f 0 (n / 2)) in
      p "floatarray: tag %d size %d sum %g" (tag g) (size g) (Float.Array.fold_left ( +. ) 0. g))
    sizes

let () =
  p "%s" (boxed (umake 3 1.5));
  p "%s" (floats (fmake 3 1.5));
  p "%b %b" (make 3 7 = [| 7; 7; 7 |]) (of_uniform [| 1; 2 |] = [| 1; 2 |]);
  List.iter (fun n ->
      let name = string_of_int n in
      attempt ("make " ^ name) (fun () -> string_of_int (size (make n 0)));
      attempt ("make float " ^ name) (fun () -> string_of_int (size (make n 0.)));
      attempt ("uniform " ^ name) (fun () -> string_of_int (size (umake n 0.)));
      attempt ("floatarray make " ^ name) (fun () -> string_of_int (size (fmake n 0.)));
      attempt ("create_float " ^ name) (fun () -> string_of_int (size (create_float n)));
      attempt ("Float.Array.create " ^ name) (fun () -> string_of_int (size (Float.Array.create n)));
      attempt ("old make " ^ name) (fun () -> string_of_int (size (old_make n 0)));
      attempt ("old float " ^ name) (fun () -> string_of_int (size (old_float n))))
    [ -1; min_int; max_int; Sys.max_array_length + 1; Sys.max_floatarray_length + 1; 3 ];
  attempt "Array.make" (fun () -> string_of_int (size (Array.make (-1) 0)));
  attempt "Array.init" (fun () -> string_of_int (size (Array.init (-1) Fun.id)));
  attempt "Array.create_float" (fun () -> string_of_int (size (Array.create_float (-1))));
  attempt "Array.make_matrix" (fun () -> string_of_int (size (Array.make_matrix (-1) 2 0)));
  attempt "Float.Array.make" (fun () -> string_of_int (size (Float.Array.make (-1) 0.)));
  attempt "Float.Array.init" (fun () -> string_of_int (size (Float.Array.init (-1) float_of_int)));
  attempt "Float.Array.sub" (fun () -> floats (Float.Array.sub (fmake 3 1.) 2 2));
  attempt "Float.Array.fill" (fun () -> Float.Array.fill (fmake 3 1.) 2 2 1.; "done");
  attempt "Float.Array.append" (fun () -> floats (Float.Array.append (fmake 2 1.) (fmake 1 3.)));
  attempt "Float.Array.concat" (fun () -> floats (Float.Array.concat [ fmake 2 1.; fmake 0 0.; fmake 1 4. ]));
  p "old names: %d %d" (size (old_make 3 1)) (tag (old_float 2))

(* Values in large uniform arrays survive collections. *)
let () =
  let a = umake 2000 [ 1 ] in
  Gc.full_major ();
  for i = 0 to 1999 do ufill a i 1 [ i ] done;
  Gc.minor ();
  let b = usub a 100 1000 in
  let c = uappend a b in
  ublit a 0 c 500 700;
  Gc.full_major ();
  p "%d" (Array.fold_left (fun s l -> s + List.hd l) 0 c)
