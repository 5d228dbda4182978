(* caml_make_vect and its kin stay beside the names of 5.3. *)
external make_vect : int -> 'a -> 'a array = "caml_make_vect"
external make_float_vect : int -> float array = "caml_make_float_vect"
external make_array : 'a array -> 'a array = "caml_make_array"
let show f = print_endline (match f () with s -> s | exception e -> Printexc.to_string e)
let () =
  show (fun () -> String.concat "," (Array.to_list (make_vect 3 "x"))); show (fun () -> string_of_int (Obj.tag (Obj.repr (make_vect 3 2.5)))); show (fun () -> string_of_int (Array.length (make_float_vect 4)));
show (fun () -> string_of_int (Array.length (make_vect (-1) 0))); show (fun () -> string_of_int (Array.length (make_float_vect (-1))));
  show (fun () -> let big = make_vect 1000 (ref 1) in Gc.minor (); incr big.(0); string_of_int !(big.(999)));
  show (fun () -> string_of_int (Array.length (Array.make (Sys.max_array_length + 1) 0))); show (fun () -> string_of_int (Array.length (Array.append (make_vect 3 1) [| 4 |]))); show (fun () -> string_of_int (Array.length (Array.concat [[| 1 |]; [||]; make_vect 9 9])));
  show (fun () -> Array.blit [| 1; 2 |] 0 [| 3 |] 0 2; "?"); show (fun () -> Array.fill [| 1 |] 0 2 0; "?"); show (fun () -> string_of_int (Array.sub [| 1; 2 |] 1 2).(0)); show (fun () -> string_of_int [| 1 |].(Sys.opaque_identity 1)); show (fun () -> string_of_float (Float.Array.get (Float.Array.create 1) 1))
