(* stress: no: the collector reports its slices *)
(* env: OCAMLRUNPARAM=V=1,e=18,n=0,o=0,M=0,a=1,i=7,w=9,O=10,s=1,t=1,W *)
let show () =
  let c = Gc.get () in
  Printf.printf "%d %d %d %d %d %d %d %d %d %d\n" c.minor_heap_size c.major_heap_increment c.space_overhead c.verbose
    c.max_overhead c.allocation_policy c.window_size c.custom_major_ratio c.custom_minor_ratio c.custom_minor_max_size
let () =
  print_endline (Sys.runtime_parameters ());
  show ();
  Gc.set { (Gc.get ()) with major_heap_increment = 50; max_overhead = 60; allocation_policy = 1; window_size = 5 };
  show ();
  Gc.set { (Gc.get ()) with minor_heap_size = 1000; custom_major_ratio = 0; custom_minor_ratio = -3; custom_minor_max_size = -1 };
  show ();
  Gc.set { (Gc.get ()) with minor_heap_size = 70000; verbose = 0x20; space_overhead = 200 };
  Gc.set { (Gc.get ()) with minor_heap_size = 32768; space_overhead = 80; custom_major_ratio = 50; custom_minor_ratio = 60; custom_minor_max_size = 4096 };
  show ();
  List.iter (fun (name, v) ->
      match Gc.finalise ignore v with
      | () -> Printf.printf "%s: taken\n" name
      | exception Invalid_argument text -> Printf.printf "%s: %s\n" name text)
    [ "atom", Obj.repr [||]; "integer", Obj.repr 3; "float", Obj.repr 1.5; "lazy", Obj.repr (lazy (ref 1)); "string", Obj.repr "a" ]
