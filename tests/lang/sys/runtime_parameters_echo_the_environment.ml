(* env: OCAMLRUNPARAM=b,l=200k,o=90,O=300,s=0x8k,i=40,w=7,a=1,W,v=0 *)
let () =
  print_endline (Sys.runtime_parameters ());
  Printf.printf "%b %b\n" (Printexc.backtrace_status ()) (Sys.runtime_warnings_enabled ());
  Printexc.record_backtrace false;
  Gc.set { (Gc.get ()) with Gc.space_overhead = 150; minor_heap_size = 65536 };
  print_endline (Sys.runtime_parameters ())
