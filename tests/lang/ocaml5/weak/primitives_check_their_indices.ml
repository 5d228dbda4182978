(* Weak and ephemerons: the primitives raise the errors of bounds themselves. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let unit f () = f (); "done"
type t
external ecreate : int -> t = "caml_ephe_create"
external wcreate : int -> t = "caml_weak_create"
external get_key : t -> int -> Obj.t option = "caml_ephe_get_key"
external get_key_copy : t -> int -> Obj.t option = "caml_ephe_get_key_copy"
external set_key : t -> int -> Obj.t -> unit = "caml_ephe_set_key"
external unset_key : t -> int -> unit = "caml_ephe_unset_key"
external check_key : t -> int -> bool = "caml_ephe_check_key"
external blit_key : t -> int -> t -> int -> int -> unit = "caml_ephe_blit_key"
external get_data : t -> Obj.t option = "caml_ephe_get_data"
external set_data : t -> Obj.t -> unit = "caml_ephe_set_data"
external unset_data : t -> unit = "caml_ephe_unset_data"
external check_data : t -> bool = "caml_ephe_check_data"
external blit_data : t -> t -> unit = "caml_ephe_blit_data"
external wset : t -> int -> Obj.t option -> unit = "caml_weak_set"
external wget : t -> int -> Obj.t option = "caml_weak_get"
external wget_copy : t -> int -> Obj.t option = "caml_weak_get_copy"
external wcheck : t -> int -> bool = "caml_weak_check"
external wblit : t -> int -> t -> int -> int -> unit = "caml_weak_blit"

let show = function None -> "none" | Some _ -> "some"
let () =
  let e = ecreate 3 and w = wcreate 3 in
  List.iter (fun i ->
      let name s = Printf.sprintf "%s %d" s i in
      attempt (name "get_key") (fun () -> show (get_key e i));
      attempt (name "get_key_copy") (fun () -> show (get_key_copy e i));
      attempt (name "set_key") (unit (fun () -> set_key e i (Obj.repr "x")));
      attempt (name "check_key") (fun () -> string_of_bool (check_key e i));
      attempt (name "unset_key") (unit (fun () -> unset_key e i));
      attempt (name "weak set") (unit (fun () -> wset w i (Some (Obj.repr 5))));
      attempt (name "weak get") (fun () -> show (wget w i));
      attempt (name "weak get_copy") (fun () -> show (wget_copy w i));
      attempt (name "weak check") (fun () -> string_of_bool (wcheck w i));
      attempt (name "weak unset") (unit (fun () -> wset w i None)))
    [ 0; 2; 3; -1; max_int; min_int ];
  List.iter (fun (i, j, n) ->
      let name s = Printf.sprintf "%s %d %d %d" s i j n in
      attempt (name "blit_key") (unit (fun () -> blit_key e i e j n));
      attempt (name "weak blit") (unit (fun () -> wblit w i w j n)))
    [ 0, 0, 3; 0, 1, 2; 0, 1, 3; 3, 3, 0; 4, 0, 0; 0, 4, 0; -1, 0, 1; 0, -1, 1; 0, 0, -1; max_int, 0, 1; 0, 0, max_int ];
  List.iter (fun n ->
      attempt (Printf.sprintf "ephe_create %d" n) (fun () -> string_of_int (Obj.size (Obj.repr (ecreate n))));
      attempt (Printf.sprintf "weak_create %d" n) (fun () -> string_of_int (Obj.size (Obj.repr (wcreate n))));
      attempt (Printf.sprintf "Weak.create %d" n) (fun () -> string_of_int (Weak.length (Weak.create n)));
      attempt (Printf.sprintf "Obj.Ephemeron.create %d" n) (fun () -> string_of_int (Obj.Ephemeron.length (Obj.Ephemeron.create n))))
    [ 0; 1; 5; -1; min_int; max_int; Sys.max_array_length; Sys.max_array_length + 1 ]

let () =
  let w = Weak.create 4 in
  let kept = List.init 4 (fun i -> ref i) in
  List.iteri (fun i r -> if i < 3 then Weak.set w i (Some r)) kept;
  List.iter (fun i ->
      let name s = Printf.sprintf "Weak.%s %d" s i in
      attempt (name "get") (fun () -> show (Weak.get w i));
      attempt (name "get_copy") (fun () -> show (Weak.get_copy w i));
      attempt (name "set") (unit (fun () -> Weak.set w i None; Weak.set w i (Some (List.hd kept))));
      attempt (name "check") (fun () -> string_of_bool (Weak.check w i));
      attempt (name "fill") (unit (fun () -> Weak.fill w i 2 None));
      attempt (name "blit") (unit (fun () -> Weak.blit w i w 1 2)))
    [ 0; 1; 3; 4; -1 ];
  Gc.full_major ();
  p "%s" (String.concat " " (List.init 4 (fun i -> string_of_bool (Weak.check w i))));
  let e = Obj.Ephemeron.create 2 in
  List.iter (fun i ->
      let name s = Printf.sprintf "Ephemeron.%s %d" s i in
      attempt (name "get_key") (fun () -> show (Obj.Ephemeron.get_key e i));
      attempt (name "get_key_copy") (fun () -> show (Obj.Ephemeron.get_key_copy e i));
      attempt (name "set_key") (unit (fun () -> Obj.Ephemeron.set_key e i (Obj.repr (List.hd kept))));
      attempt (name "unset_key") (unit (fun () -> Obj.Ephemeron.unset_key e i));
      attempt (name "check_key") (fun () -> string_of_bool (Obj.Ephemeron.check_key e i));
      attempt (name "blit_key") (unit (fun () -> Obj.Ephemeron.blit_key e i e 0 1)))
    [ 0; 1; 2; -1 ];
  Obj.Ephemeron.set_data e (Obj.repr "data");
  p "data %b %s" (Obj.Ephemeron.check_data e) (show (Obj.Ephemeron.get_data e));
  Obj.Ephemeron.unset_data e;
  p "data %b" (Obj.Ephemeron.check_data e);
  ignore (Sys.opaque_identity kept)
