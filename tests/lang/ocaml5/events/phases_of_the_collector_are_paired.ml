(* flags: -I +runtime_events *)
(* stress: no: more collections write more events *)
(* libs: runtime_events.cma *)
(* What the collector does has a begin and an end, properly nested; the counters are there. *)
open Runtime_events

let () =
  start ();
  let cursor = create_cursor None in
  ignore (read_poll cursor (Callbacks.create ()) None);
  let stack = ref [] and wrong = ref 0 and last = ref 0L in
  let phases = Hashtbl.create 10 and counters = Hashtbl.create 10 in
  let at t = let t = Timestamp.to_int64 t in if t < !last then incr wrong; last := t in
  let callbacks = Callbacks.create
      ~runtime_begin:(fun _ t p -> at t; Hashtbl.replace phases p (); stack := p :: !stack)
      ~runtime_end:(fun _ t p -> at t; match !stack with q :: rest when p = q -> stack := rest | _ -> incr wrong)
      ~runtime_counter:(fun _ t c n -> at t; Hashtbl.replace counters c (max n (Option.value ~default:0 (Hashtbl.find_opt counters c)))) () in
  let poll () = ignore (read_poll cursor callbacks None); Printf.printf "%d %d\n" (List.length !stack) !wrong in
  let has p = print_endline (runtime_phase_name p ^ " " ^ string_of_bool (Hashtbl.mem phases p)) in
  let counted c = print_endline (runtime_counter_name c ^ " " ^ string_of_bool (Hashtbl.mem counters c)) in
  let kept = ref [] in
  for i = 1 to 100_000 do kept := ref i :: !kept done;
  Gc.minor ();
  poll ();
  List.iter has [EV_MINOR; EV_EXPLICIT_GC_MINOR];
  Printf.printf "%b %b\n" (Hashtbl.find counters EV_C_MINOR_PROMOTED > 0) (Hashtbl.find counters EV_C_MINOR_ALLOCATED > 0);
  kept := [];
  Gc.major ();
  Gc.full_major ();
  Gc.compact ();
  ignore (Gc.major_slice 100);
  ignore (Gc.stat ());
  Gc.set { (Gc.get ()) with minor_heap_size = 65536 };
  poll ();
  List.iter has [EV_EXPLICIT_GC_MAJOR; EV_EXPLICIT_GC_FULL_MAJOR; EV_EXPLICIT_GC_COMPACT; EV_EXPLICIT_GC_MAJOR_SLICE;
                 EV_EXPLICIT_GC_STAT; EV_EXPLICIT_GC_SET; EV_MAJOR; EV_MAJOR_SLICE; EV_MAJOR_FINISH_CYCLE; EV_MAJOR_MARK; EV_MAJOR_SWEEP; EV_COMPACT];
  List.iter counted [EV_C_MAJOR_HEAP_POOL_WORDS; EV_C_MAJOR_HEAP_POOL_LIVE_WORDS; EV_C_MAJOR_HEAP_LARGE_WORDS;
                     EV_C_MAJOR_HEAP_POOL_FRAG_WORDS; EV_C_MAJOR_HEAP_POOL_LIVE_BLOCKS; EV_C_MAJOR_HEAP_LARGE_BLOCKS;
                     EV_C_FORCE_MINOR_SET_MINOR_HEAP_SIZE];
  (* An exception in the middle of a phase. *)
  List.iter (fun (name, f) ->
    stack := [];
    Gc.finalise_last (fun () -> raise Exit) (ref 1);
    (try ignore (Sys.opaque_identity (f ())) with Exit -> print_endline (name ^ " raised"));
    ignore (read_poll cursor callbacks None);
    List.iter (fun p -> print_endline (runtime_phase_name p)) !stack)
    ["major", Gc.major; "full_major", Gc.full_major; "compact", Gc.compact; "stat", fun () -> ignore (Gc.stat ())]
