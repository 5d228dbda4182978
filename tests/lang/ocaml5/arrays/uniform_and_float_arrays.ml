(* The array primitives of 5.3, under their names. *)
external make : int -> 'a -> 'a array = "caml_array_make"
external create_float : int -> float array = "caml_array_create_float"
external of_uniform : 'a array -> 'a array = "caml_array_of_uniform_array"
external u_make : int -> 'a -> 'a array = "caml_uniform_array_make"
external u_fill : 'a array -> int -> int -> 'a -> unit = "caml_uniform_array_fill"
external u_sub : 'a array -> int -> int -> 'a array = "caml_uniform_array_sub"
external u_append : 'a array -> 'a array -> 'a array = "caml_uniform_array_append"
external u_blit : 'a array -> int -> 'a array -> int -> int -> unit = "caml_uniform_array_blit"
external f_make : int -> float -> floatarray = "caml_floatarray_make"
external f_fill : floatarray -> int -> int -> float -> unit = "caml_floatarray_fill"
external f_sub : floatarray -> int -> int -> floatarray = "caml_floatarray_sub"
external f_append : floatarray -> floatarray -> floatarray = "caml_floatarray_append"
let say fmt = Printf.printf (fmt ^^ "\n")
let tag a = Obj.tag (Obj.repr a)
let show f = match f () with () -> say "fine" | exception e -> say "%s" (Printexc.to_string e)
let u a = String.concat " " (List.init (Obj.size (Obj.repr a)) (fun i -> string_of_float (Obj.obj (Obj.field (Obj.repr a) i))))
let fs a = String.concat " " (List.init (Float.Array.length a) (fun i -> string_of_float (Float.Array.get a i)))
let () =
  say "%d %d %d" (tag (make 2 'x')) (tag (make 2 1.5)) (tag (make 0 1.5));
  say "%d %d" (tag (create_float 3)) (Array.length (create_float 3));
  let a = u_make 3 1.5 in say "%d %d %s" (tag a) (Obj.size (Obj.repr a)) (u a);
  u_fill a 1 2 2.5; say "%s" (u a); say "%s" (u (u_sub a 1 2)); say "%s" (u (u_append a (u_sub a 0 1)));
  let b = u_append a a in u_blit b 0 b 2 4; say "%s" (u b); u_blit b 3 b 0 3; say "%s" (u b);
  let c : float array = of_uniform a in say "%d %s" (tag c) (String.concat " " (Array.to_list (Array.map string_of_float c)));
  say "%d %d" (tag (of_uniform (u_make 2 "s"))) (tag (of_uniform (u_make 0 1.)));
  let f = f_make 4 0.5 in f_fill f 1 2 9.; say "%d %s" (tag f) (fs f); say "%s" (fs (f_sub f 1 3)); say "%s" (fs (f_append f (f_make 1 7.)));
  show (fun () -> ignore (make (-1) 0)); show (fun () -> ignore (make max_int 0)); show (fun () -> ignore (make max_int 1.5)); show (fun () -> ignore (u_make (-1) 0)); show (fun () -> ignore (f_make (-1) 0.)); show (fun () -> ignore (create_float (-1)));
  let big = u_make 2000 "old" in Gc.full_major (); u_fill big 0 2000 (String.make 3 'n'); Gc.minor (); say "%s %s" big.(0) big.(1999);
  let from = Array.init 500 string_of_int in u_blit from 0 big 700 500; Gc.minor (); say "%s %s %s" big.(700) big.(1199) big.(1200);
  say "%d" (String.length (String.concat "" (Array.to_list (u_sub big 600 800))))
