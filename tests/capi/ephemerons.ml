(* Ephemerons and weak arrays that stubs make and use, beside OCaml code that uses the same ones. *)
external create : int -> Obj.Ephemeron.t = "t_ephe"
external keys : Obj.Ephemeron.t -> int = "t_ephe_keys"
external set : Obj.Ephemeron.t -> int -> Obj.t -> unit = "t_ephe_set"
external unset : Obj.Ephemeron.t -> int -> unit = "t_ephe_unset"
external is_set : Obj.Ephemeron.t -> int -> bool = "t_ephe_is_set"
external get : Obj.Ephemeron.t -> int -> bool -> Obj.t option = "t_ephe_get"
external blit : Obj.Ephemeron.t -> int -> Obj.Ephemeron.t -> int -> int -> unit = "t_ephe_blit"
external none : Obj.Ephemeron.t -> bool = "t_ephe_none"

let say fmt = Printf.printf (fmt ^^ "\n%!")
let data = -1
let text = function None -> "none" | Some o -> (Obj.obj o : string)
let fresh s = Obj.repr (Sys.opaque_identity (s ^ "!"))

let () =
  let e = create 3 in
  say "%d %d %b" (keys e) (Obj.Ephemeron.length e) (none e);
  let a = fresh "a" and b = fresh "b" and d = fresh "data" in
  set e 0 a; set e 1 b; set e data d;
  say "%b %b %b %b" (is_set e 0) (is_set e 1) (is_set e 2) (is_set e data);
  Gc.minor ();
  say "%s %s %s %s" (text (get e 0 false)) (text (get e 1 true)) (text (get e 2 false))
    (text (get e data true));
  say "%b %b" (get e 0 false == Some a || text (get e 0 false) == Obj.obj a)
    (text (get e 0 true) == Obj.obj a);
  say "%s %b" (text (Obj.Ephemeron.get_key e 1)) (Obj.Ephemeron.check_data e);
  let f = create 3 in
  blit e 0 f 1 2;
  say "%s %s %s %s" (text (get f 0 false)) (text (get f 1 false)) (text (get f 2 false))
    (text (get f data false));
  unset f 1;
  say "%b %b" (is_set f 1) (is_set f 2);
  unset f data;
  say "%b" (is_set f data);
  (* A key that dies empties its slot and the data. *)
  let g = create 2 in
  let k = fresh "dies" in
  set g 0 k; set g 1 a; set g data (fresh "with it");
  ignore (Sys.opaque_identity k);
  Gc.full_major ();
  say "%b %b %b %s" (is_set g 0) (is_set g 1) (is_set g data) (text (get g data true));
  Gc.full_major ();
  say "%s %s" (text (get e 0 false)) (text (get e data false));
  say "%s" (String.concat " " (List.map Obj.obj [ a; b; d ]));
  (* A weak array of the standard library is one too. *)
  let w : string Weak.t = Weak.create 2 in
  set (Obj.magic w) 1 a;
  say "%b %s" (Weak.check w 0) (Option.get (Weak.get w 1));
  ignore (Sys.opaque_identity (a, b, d))
