(* Fresh object identifiers come in blocks of 1024, one block a domain. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
class c = object end
let id () = Oo.id (new c)
let first = id ()
let () =
  say "%d" (id () - first);
  let in_domain f = Domain.join (Domain.spawn f) in
  say "%b" (in_domain (fun () -> let a = id () in a mod 1024 = 0 && id () = a + 1));
  say "%b" (in_domain (fun () -> let a = id () in a mod 1024 = 0 && a > 1024));
  say "%d" (id () - first);
  let all = List.concat_map Domain.join (List.init 4 (fun _ -> Domain.spawn (fun () -> List.init 3000 (fun _ -> id ())))) in
  say "%d %d" (List.length all) (List.length (List.sort_uniq compare all));
  let exn_id () = let module M = struct exception E end in let s = Obj.repr (Obj.Extension_constructor.of_val M.E) in Obj.obj (Obj.field s 1) in
  let a : int = exn_id () in let b : int = exn_id () in
  say "%d" (b - a);
  let o = new c and p = new c in
  say "%b %b %b" (o = o) (o = p) (compare o p = compare (Oo.id o) (Oo.id p))
