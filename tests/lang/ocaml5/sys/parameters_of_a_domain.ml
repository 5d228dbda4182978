(* env: OCAMLRUNPARAM=p,s=64k,b *)
(* Parsers are traced all the time, and a domain has a minor heap and settings of its own. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let parameters () = say "%s" (Sys.runtime_parameters ())
let traced on = say "set to %b, was %b" on (Parsing.set_trace on)
let () =
  parameters ();
  List.iter traced [ false; true; false ];
  parameters ();
  traced true;
  Gc.set { (Gc.get ()) with minor_heap_size = 32768; space_overhead = 77; custom_minor_max_size = 333 };
  Printexc.record_backtrace false;
  parameters ();
  Domain.join (Domain.spawn (fun () -> parameters (); traced false; parameters ()))
