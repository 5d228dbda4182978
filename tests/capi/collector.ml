(* The collector as stubs see it, and as they make it work. *)
external counters : unit -> float array = "t_counters"
external wait_for_minor : unit -> bool = "t_wait_for_minor"
external wait_for_heap : unit -> bool = "t_wait_for_heap"
external collect : int -> bool = "t_collect"
external set_minor : int -> int = "t_set_minor"
external timing_hooks : bool -> bool = "t_timing_hooks"
external class_of : 'a -> int = "t_class"
external shr : string -> Obj.t array = "t_shr"
external oo_ids : unit -> bool = "t_oo_ids"
external boxed : unit -> int32 * int64 * nativeint * bool = "t_boxed"
external final_ops : unit -> bool = "t_final_ops"
external ends : unit -> int = "t_ends"
external memory : unit -> bool = "t_memory"

let say fmt = Printf.printf (fmt ^^ "\n%!")
let some_work () = ref (List.init 1000 string_of_int)

let agree () =
  ignore (Sys.opaque_identity (some_work ()));
  Gc.full_major ();
  let before = Gc.quick_stat () in
  let c = counters () in
  let after = Gc.quick_stat () in
  let between a x b = float a <= x && x <= float b in
  say "%b %b %b" (c.(0) <= after.minor_words) (c.(0) > 10_000.)
    (c.(1) <= after.promoted_words && c.(2) <= after.major_words && c.(2) >= c.(1));
  say "%b %b %b %b" (between before.minor_collections c.(3) after.minor_collections)
    (between before.major_collections c.(4) after.major_collections)
    (between before.compactions c.(7) after.compactions)
    (c.(5) > 0. && c.(6) >= c.(5) && c.(8) >= 1.);
  say "%b" (c.(9) = float (Gc.get ()).minor_heap_size)

let collections () =
  let kept = some_work () in
  for i = 0 to 11 do
    ignore (Sys.opaque_identity (ref i));
    say "%d %b" i (collect i)
  done;
  say "%b %b" (wait_for_minor ()) (wait_for_heap ());
  say "%d" (set_minor 65536);
  say "%b" ((Gc.get ()).minor_heap_size = 65536);
  say "%d" (List.length !kept);
  ignore (timing_hooks true);
  Gc.full_major ();
  say "%b" (timing_hooks false)

let blocks () =
  let r = Sys.opaque_identity (ref 1) in
  say "%d %d" (class_of r / 1000 land 2) (class_of (Sys.opaque_identity (Array.make 1000 r)));
  let b = shr "shared" in
  Gc.minor ();
  say "%d %d %s" (Array.length b) (Obj.tag b.(299)) (Obj.obj (Obj.field b.(299) 2));
  say "%b" (oo_ids ());
  let a, b, c, found = boxed () in
  say "%ld %Ld %nd %b" a b c found;
  say "%b %b %b" (a = -5l) (Int64.add b 1L > b) (Hashtbl.hash c = Hashtbl.hash 77n);
  say "%S" (Marshal.to_string (a, b, c) []);
  say "%b" (final_ops ());
  Gc.full_major ();
  say "%d" (ends ());
  say "%b" (memory ())

let () = agree (); collections (); blocks ()
