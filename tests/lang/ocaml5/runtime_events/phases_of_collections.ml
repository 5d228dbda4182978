(* flags: -I +runtime_events *)
(* libs: runtime_events.cma *)
(* stress: no: asks which collections ran *)
open Runtime_events
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  start ();
  let cursor = create_cursor None in
  let seen = Hashtbl.create 20 and ended = Hashtbl.create 20 and life = ref [] in
  let runtime_begin _ _ p = Hashtbl.replace seen (runtime_phase_name p) () and runtime_end _ _ p = Hashtbl.replace ended (runtime_phase_name p) () in
  let lifecycle _ _ e _ = life := lifecycle_name e :: !life in
  let c = Callbacks.create ~runtime_begin ~runtime_end ~lifecycle () in
  ignore (Sys.opaque_identity (List.init 1000 string_of_int)); Gc.minor (); Gc.full_major (); Gc.compact ();
  ignore (read_poll cursor c None);
  List.iter (fun n -> say "%s %b %b" n (Hashtbl.mem seen n) (Hashtbl.mem ended n)) ["minor"; "major"; "explicit_gc_minor"; "explicit_gc_full_major"; "explicit_gc_compact"];
  say "%b" (List.mem "ring_start" !life); life := [];
  pause (); resume (); ignore (read_poll cursor c None); say "%s" (String.concat " " (List.rev !life)); life := [];
  Domain.join (Domain.spawn (fun () -> Gc.minor ())); ignore (read_poll cursor c None); say "%b %b" (List.mem "domain_spawn" !life) (List.mem "domain_terminate" !life);
  say "%b" (Sys.file_exists (string_of_int 0 ^ ".events")); say "%s" (runtime_counter_name EV_C_MINOR_PROMOTED); say "%s" (runtime_phase_name EV_MAJOR_SWEEP)
