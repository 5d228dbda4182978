(* A new domain has the start-up minor heap and backtrace flag, not the parent's. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let size () = (Gc.get ()).Gc.minor_heap_size
let () =
  let inside f = Domain.join (Domain.spawn f) in
  say "%d %d" (size ()) (inside size);
  Gc.set { (Gc.get ()) with minor_heap_size = 32768 };
  say "%d %d" (size ()) (inside size);
  inside (fun () -> Gc.set { (Gc.get ()) with minor_heap_size = 65536 }; say "there %d" (size ()));
  say "%d" (size ());
  say "%b %b" (Printexc.backtrace_status ()) (inside Printexc.backtrace_status);
  Printexc.record_backtrace true;
  say "%b %b" (Printexc.backtrace_status ()) (inside Printexc.backtrace_status);
  inside (fun () -> Printexc.record_backtrace true);
  Printexc.record_backtrace false;
  say "%b" (Printexc.backtrace_status ());
  Gc.set { (Gc.get ()) with space_overhead = 200 };
  say "%d" (inside (fun () -> (Gc.get ()).Gc.space_overhead));
  inside (fun () -> Gc.set { (Gc.get ()) with space_overhead = 90 });
  say "%d" (Gc.get ()).Gc.space_overhead
