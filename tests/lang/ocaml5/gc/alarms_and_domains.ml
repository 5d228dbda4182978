(* stress: no: counts collections *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let hits = ref 0 in
  let a = Gc.create_alarm (fun () -> incr hits) in
  Gc.full_major (); let n = !hits in say "%b" (n > 0);
  Gc.delete_alarm a; Gc.full_major (); Gc.full_major (); say "%b" (!hits <= n + 1);
  let w = Gc.minor_words () in ignore (Sys.opaque_identity (Array.init 100 (fun i -> Some i))); say "%b" (Gc.minor_words () -. w >= 200.);
  let s = Gc.stat () in say "%b %b" (s.minor_words > 0.) (s.heap_words > 0);
  let before = (Gc.quick_stat ()).minor_collections in
  List.iter Domain.join (List.init 3 (fun _ -> Domain.spawn (fun () -> Gc.minor ()))); say "%b" ((Gc.quick_stat ()).minor_collections >= before + 3);
  let buf = Buffer.create 100 in ignore buf; say "%b" (Gc.allocated_bytes () > 0.);
  say "%d" (Gc.get ()).space_overhead; Gc.print_stat (open_out "/dev/null"); say "%b" (Gc.get_minor_free () > 0)
