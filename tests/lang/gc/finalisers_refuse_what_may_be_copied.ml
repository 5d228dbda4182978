(* Gc.finalise and finalise_last raise Invalid_argument for values that need not be one block. *)
let attempt name v =
  let on which register =
    match register () with
    | () -> Printf.printf "%s %s ok\n" name which
    | exception e -> Printf.printf "%s %s %s\n" name which (Printexc.to_string e) in
  on "finalise" (fun () -> Gc.finalise ignore (Obj.repr v));
  on "finalise_last" (fun () -> Gc.finalise_last ignore (Obj.repr v))

let () =
  attempt "integer" (Obj.repr 1);
  attempt "constant constructor" (Obj.repr None);
  attempt "float" (Obj.repr (Sys.opaque_identity 1.5));
  attempt "empty array" (Obj.repr [||]);
  attempt "string" (Obj.repr (String.make 3 'x'));
  attempt "float array" (Obj.repr [| Sys.opaque_identity 1.5 |]);
  attempt "lazy" (Obj.repr (lazy (Sys.opaque_identity (print_string ""))));
  let l = lazy (Sys.opaque_identity (float 3)) in
  ignore (Lazy.force l);
  attempt "forced lazy" (Obj.repr l);
  attempt "int64" (Obj.repr (Int64.of_int (Sys.opaque_identity 3)));
  attempt "block" (Obj.repr (ref 1));
  attempt "closure" (Obj.repr (fun x -> x + Sys.opaque_identity 1));
  attempt "object" (Obj.repr (object method m = 1 end));
  attempt "weak array" (Obj.repr (Weak.create 1))
