(* 246 lazy, 244 forcing, 250 forward; what the primitives answer. *)
external to_forcing : Obj.t -> int = "caml_lazy_update_to_forcing"
external to_lazy : Obj.t -> unit = "caml_lazy_reset_to_lazy"
external to_forward : Obj.t -> unit = "caml_lazy_update_to_forward"
external read : Obj.t -> Obj.t = "caml_lazy_read_result"
let say fmt = Printf.printf (fmt ^^ "\n")
let tag v = let r = Obj.repr v in if Obj.is_int r then -1 else Obj.tag r
let () =
  let during = ref 0 in
  let rec l = lazy (during := tag l; "text") in
  let kept = Obj.repr l in
  say "%d" (tag l); ignore (Lazy.force l); say "%d %d" !during (Obj.tag kept);
  Gc.full_major (); say "%s" (Lazy.force l);
  let f = lazy (failwith "x") in
  (try Lazy.force f with Failure _ -> ()); say "%d" (tag f);
  say "%d %d %d %d" (tag (lazy 3)) (tag (lazy "abc")) (tag (Lazy.from_val 1.5)) (tag (Lazy.from_val (lazy 1)));
  let v = Lazy.from_fun (fun () -> 1.5) in ignore (Lazy.force v); Gc.full_major (); say "%d %g" (tag v) (Lazy.force v);
  let block = Obj.new_block 246 1 in
  Obj.set_field block 0 (Obj.repr "inside");
  say "%d %d" (to_forcing block) (Obj.tag block);
  say "%d %d" (to_forcing block) (Obj.tag block);
  to_lazy block; say "%d" (Obj.tag block);
  say "%d" (to_forcing block);
  Obj.set_field block 0 (Obj.repr "result");
  to_forward block; say "%d %s" (Obj.tag block) (Obj.obj (read block));
  say "%d" (to_forcing block);
  say "%d %d" (to_forcing (Obj.repr 5)) (Obj.obj (read (Obj.repr 5)));
  say "%s" (Obj.obj (read (Obj.repr "itself")))
