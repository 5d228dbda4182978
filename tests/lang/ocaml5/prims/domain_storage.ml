(* The root of a domain's storage, read and replaced. *)
external get : unit -> Obj.t array = "%dls_get"
external set : Obj.t array -> unit = "caml_domain_dls_set"
external cas : Obj.t array -> Obj.t array -> bool = "caml_domain_dls_compare_and_set" [@@noalloc]
external index : unit -> int = "caml_ml_domain_index"
external id : unit -> int = "caml_ml_domain_id"
external count : unit -> int = "caml_recommended_domain_count"
external relax : unit -> unit = "caml_ml_domain_cpu_relax"
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let a = get () in
  say "%b %b" (Array.length a > 0) (get () == a);
  let b = Array.copy a in
  say "%b %b" (cas b a) (get () == a);
  say "%b %b" (cas a b) (get () == b);
  set a; Gc.full_major (); say "%b" (get () == a);
  say "%b" (Domain.join (Domain.spawn (fun () -> get () != a)));
  say "%d %d %b" (index ()) (id ()) (count () > 0); relax ();
  let young () = Array.append a [| Obj.repr (String.make 4 'y') |] in
  for i = 1 to 100 do set (young ()); if i mod 10 = 0 then Gc.minor () done;
  say "%s" (Obj.obj (get ()).(Array.length a))
