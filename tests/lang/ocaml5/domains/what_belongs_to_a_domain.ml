(* flags: -g *)
(* Settings that a new domain does not inherit, and numbers of objects. *)
let run f = Domain.join (Domain.spawn f)
let minor_heap () = (Gc.get ()).Gc.minor_heap_size
let number () = Oo.id (object end)

let () =
  Printexc.record_backtrace true;
  Printf.printf "recording: %b" (run Printexc.backtrace_status);
  Printexc.record_backtrace false;
  Printf.printf " %b" (run (fun () -> Printexc.record_backtrace true; Printexc.backtrace_status ()));
  Printf.printf " %b\n" (Printexc.backtrace_status ());
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 65536 };
  Printf.printf "minor heap: %d" (minor_heap ());
  Printf.printf " %d" (run minor_heap);
  Printf.printf " %d" (run (fun () ->
      Gc.set { (Gc.get ()) with Gc.minor_heap_size = 16384 }; minor_heap ()));
  Printf.printf " %d\n" (minor_heap ());
  let first = number () in
  Printf.printf "objects: %d" (run number);
  Printf.printf " %d" (run (fun () -> ignore (number ()); number ()));
  Printf.printf " %b" (number () = first + 1);
  for _ = 1 to 1024 do ignore (number ()) done;
  Printf.printf " %d\n" (number () - first);
  Printf.printf "the parser's trace: %b" (Parsing.set_trace true);
  Printf.printf " %b" (run (fun () -> Parsing.set_trace false));
  Printf.printf " %b\n" (Parsing.set_trace false)
