(* stress: no: counts collections *)
(* The first cycle of OCaml 5 has nothing to do: the slice after the first minor collection ends it.
   What else is a minor collection: the sizing of the minor heap, at start-up too, a domain's end,
   and a large array of a young value. *)
let show name =
  let s = Gc.quick_stat () in
  Printf.printf "%s: %d minor, %d major\n" name s.minor_collections s.major_collections
let size words = Gc.set { (Gc.get ()) with minor_heap_size = words }
let () =
  show "start";
  for _ = 1 to 3 do Gc.minor (); show "Gc.minor" done;
  Domain.join (Domain.spawn (fun () -> show "in a domain"));
  show "joined";
  size 1000; show "smaller";
  size 1000; show "the same size";
  size 1_000_000; show "larger";
  ignore (Sys.opaque_identity (Array.make 1000 (ref 1)));
  show "an array"
